"""Small SVG plots: dots by row, lines, bars. Legible on light and dark pages: text and grid follow the reader's colour scheme, and
nothing is painted behind them.

    svg = lines("Latency", series={"a": [(x, y), ...]}, x_label="...", y_label="...", y_log=True)"""
import html
import math

COLOURS = ("#d9480f", "#f2a03d", "#2f7ed8", "#7b61c4", "#2b9a66", "#c2488f", "#7a8794", "#a58b00")
STYLE = """<style>
text { font: 12px system-ui, sans-serif; fill: #3b424a; }
.title { font-size: 15px; font-weight: 600; }
.small { font-size: 11px; }
.grid { stroke: #8a939c; stroke-opacity: .28; }
.axis { stroke: #8a939c; fill: none; }
@media (prefers-color-scheme: dark) { text { fill: #c9d1d9; } }
</style>"""


class Canvas:
    def __init__(self, width, height, title):
        self.width, self.height, self.parts = width, height, []
        self.text(12, 22, title, "title")

    def text(self, x, y, text, style="", anchor="start", turn=None):
        turned = ' transform="rotate(%d %.1f %.1f)"' % (turn, x, y) if turn else ""
        self.parts.append('<text x="%.1f" y="%.1f" class="%s" text-anchor="%s"%s>%s</text>' % (
            x, y, style, anchor, turned, html.escape(str(text))))

    def line(self, x1, y1, x2, y2, style="grid"):
        self.parts.append('<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" class="%s"/>' % (x1, y1, x2, y2, style))

    def path(self, points, colour, width=2):
        self.parts.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="%g" stroke-linejoin="round"/>' % (
            " ".join("%.1f,%.1f" % point for point in points), colour, width))

    def dot(self, x, y, colour, label):
        self.parts.append('<circle cx="%.1f" cy="%.1f" r="4.5" fill="%s" fill-opacity=".88"><title>%s</title></circle>' % (
            x, y, colour, html.escape(label)))

    def bar(self, x, y, width, height, colour, label):
        self.parts.append('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"><title>%s</title></rect>' % (
            x, y, width, height, colour, html.escape(label)))

    def legend(self, names, x, y):
        for number, name in enumerate(names):
            self.bar(x, y - 9, 10, 10, colour_of(number), name)
            self.text(x + 15, y, name, "small")
            x += 32 + 6.6 * len(name)

    def svg(self):
        return ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">\n%s\n%s\n</svg>\n' % (
            self.width, self.height, self.width, self.height, STYLE, "\n".join(self.parts)))


def colour_of(number):
    return COLOURS[number % len(COLOURS)]


def short(value):
    """A number as an axis shows it: 1200000 is 1.2M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return "%.3g%s" % (value / size, letter)
    return "%.3g" % value


class Scale:
    """Values to pixels, with the values that deserve a tick."""

    def __init__(self, values, start, end, log=False, zero=False):
        low, high = min(values), max(values)
        self.start, self.end, self.log = start, end, log
        if log:
            self.low, self.high = log_bounds(low, high)
            self.ticks = log_ticks(self.low, self.high)
        else:
            step = nice_step((high - (0 if zero else low)) or abs(high) or 1)
            self.low = 0 if zero else math.floor(low / step) * step
            self.high = math.ceil(high / step) * step if high > self.low else self.low + step
            count = int(round((self.high - self.low) / step))
            self.ticks = [self.low + step * i for i in range(count + 1)]

    def __call__(self, value):
        if self.log:
            value = max(value, self.low)
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def nice_step(span):
    step = 10 ** math.floor(math.log10(span / 4))
    return step * next(factor for factor in (1, 2, 2.5, 5, 10) if span / (step * factor) <= 6)


STEPS = (1, 2, 5)


def log_bounds(low, high):
    """The nearest of 1, 2, 5 times a power of ten outside."""
    low, high = max(low, 1e-9), max(high, 1e-9)
    power = 10 ** math.floor(math.log10(low))
    below = max(s * power for s in STEPS if s * power <= low * 1.0001)
    power = 10 ** math.floor(math.log10(high))
    above = min(s * power for s in STEPS + (10,) if s * power >= high * 0.9999)
    return below, above if above > below else 10 * below


def log_ticks(low, high):
    steps = STEPS if math.log10(high / low) < 3.2 else (1,)
    ticks = [s * 10.0 ** p for p in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1) for s in steps]
    return [tick for tick in ticks if low * 0.999 <= tick <= high * 1.001]


def dots(title, rows, names, x_label, log=True):
    """A row of dots for each of rows, a list of (label, {name: value}); the colour tells the name."""
    left, top, step = 190, 62, 22
    canvas = Canvas(860, top + step * len(rows) + 52, title)
    values = [value for _, found in rows for value in found.values()]
    if not values:
        return canvas.svg()
    scale = Scale(values, left, canvas.width - 24, log, zero=not log)
    bottom = top + step * len(rows)
    for tick in scale.ticks:
        canvas.line(scale(tick), top - 6, scale(tick), bottom)
        canvas.text(scale(tick), bottom + 16, short(tick), "small", "middle")
    for number, (label, found) in enumerate(rows):
        y = top + step * number + step / 2
        canvas.text(left - 10, y + 4, label, "small", "end")
        canvas.line(left, y, canvas.width - 24, y)
        for index, name in reversed(list(enumerate(names))):  # the first lies on top
            if name in found:
                canvas.dot(scale(found[name]), y, colour_of(index), "%s, %s: %s" % (label, name, short(found[name])))
    canvas.text((left + canvas.width) / 2, bottom + 38, x_label, "", "middle")
    canvas.legend(names, left, 44)
    return canvas.svg()


def lines(title, series, x_label, y_label, y_log=False, x_ticks=None, width=860, height=420):
    """series: {name: [(x, y), ...]}; x_ticks: [(x, label), ...] instead of numbers."""
    left, right, top, bottom = 74, 24, 62, 58
    canvas = Canvas(width, height, title)
    points = [point for found in series.values() for point in found]
    if not points:
        return canvas.svg()
    x = Scale([point[0] for point in points], left, width - right)
    y = Scale([point[1] for point in points], height - bottom, top, y_log, zero=not y_log)
    if x_ticks:
        x.low, x.high = min(p[0] for p in points), max(p[0] for p in points)
    for tick, label in x_ticks or [(tick, short(tick)) for tick in x.ticks]:
        canvas.line(x(tick), top, x(tick), height - bottom)
        canvas.text(x(tick), height - bottom + 16, label, "small", "middle")
    for tick in y.ticks:
        canvas.line(left, y(tick), width - right, y(tick))
        canvas.text(left - 8, y(tick) + 4, short(tick), "small", "end")
    for number, found in reversed(list(enumerate(series.values()))):  # the first lies on top
        canvas.path([(x(a), y(b)) for a, b in found], colour_of(number))
    canvas.text((left + width - right) / 2, height - 12, x_label, "", "middle")
    canvas.text(18, (top + height - bottom) / 2, y_label, "", "middle", turn=-90)
    canvas.legend(list(series), left, 44)
    return canvas.svg()


def bars(title, groups, names, x_label, y_label, width=860, height=380):
    """Bars side by side for each of groups, a list of (label, {name: value})."""
    left, right, top, bottom = 74, 24, 62, 58
    canvas = Canvas(width, height, title)
    values = [value for _, found in groups for value in found.values()]
    if not values:
        return canvas.svg()
    y = Scale(values + [0], height - bottom, top, zero=True)
    room = (width - left - right) / len(groups)
    for tick in y.ticks:
        canvas.line(left, y(tick), width - right, y(tick))
        canvas.text(left - 8, y(tick) + 4, short(tick), "small", "end")
    for number, (label, found) in enumerate(groups):
        start, each = left + room * (number + 0.1), room * 0.8 / len(names)
        for index, name in enumerate(names):
            if name not in found:
                continue
            value = found[name]
            canvas.bar(start + each * index, y(value), each * 0.88, height - bottom - y(value), colour_of(index), "%s: %s" % (name, value))
            canvas.text(start + each * (index + 0.44), y(value) - 4, "%.0f" % value if value >= 10 else short(value), "small", "middle")
        canvas.text(start + room * 0.4, height - bottom + 16, label, "small", "middle")
    canvas.text((left + width - right) / 2, height - 12, x_label, "", "middle")
    canvas.text(18, (top + height - bottom) / 2, y_label, "", "middle", turn=-90)
    canvas.legend(names, left, 44)
    return canvas.svg()
