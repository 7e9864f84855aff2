/* cjson.decode: a parser by descent. What it takes beside JSON (numbers as strtod(3) has them, unless decode_invalid_numbers is off) and
 * its error texts are Redis's. Lua's strings end in a zero that is not counted: no look-ahead passes it. Recursion is bounded by
 * decode_max_depth and by the room on Lua's stack (8000 slots). Hot path: the plain parts of strings, short integers. */
#include <stdlib.h>
#include <strings.h>

#include "script/json.h"

enum json_token {
    JSON_OBJ_BEGIN,
    JSON_OBJ_END,
    JSON_ARR_BEGIN,
    JSON_ARR_END,
    JSON_STRING,
    JSON_NUMBER,
    JSON_BOOLEAN,
    JSON_NULL,
    JSON_COLON,
    JSON_COMMA,
    JSON_END,
    JSON_ERROR,
};

static const char *const token_names[] = {
    "T_OBJ_BEGIN", "T_OBJ_END", "T_ARR_BEGIN", "T_ARR_END", "T_STRING", "T_NUMBER",
    "T_BOOLEAN",   "T_NULL",    "T_COLON",     "T_COMMA",   "T_END",    "T_ERROR",
};

struct decoder {
    lua_State *L;
    const struct json_config *config;
    struct script_text *text; /* a string with escapes */
    const char *start, *at;
    uint32_t steps;
    int depth;
    /* The token that was read last: */
    const char *token_at;
    const char *error; /* of JSON_ERROR */
    struct span string;
    double number; /* booleans, too */
};

static void push_value(struct decoder *d, enum json_token token);

static enum json_token fail(struct decoder *d, const char *error) {
    d->token_at = d->at;
    d->error = error;
    return JSON_ERROR;
}

static int refuse(struct decoder *d, const char *expected, enum json_token found) {
    return luaL_error(d->L, "Expected %s but found %s at character %d", expected,
                      found == JSON_ERROR ? d->error : token_names[found],
                      (int)(d->token_at - d->start) + 1);
}

/* ---- strings */

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c = (char)(c | 32);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Four hexadecimal digits; negative: they are not there. */
static int32_t hex_number(const char *at) {
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(at[i]);
        if (digit < 0) return -1;
        value = value << 4 | digit;
    }
    return value;
}

static size_t put_utf8(char *out, uint32_t code) {
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

/* "\uXXXX", or a pair of surrogates. False: neither. */
static bool take_unicode(struct decoder *d) {
    int32_t code = hex_number(d->at + 2);
    size_t taken = 6;
    if (code < 0) return false;
    if ((code & 0xf800) == 0xd800) {
        if (code & 0x400 || d->at[6] != '\\' || d->at[7] != 'u') return false;
        int32_t low = hex_number(d->at + 8);
        if (low < 0 || (low & 0xfc00) != 0xdc00) return false;
        code = ((code & 0x3ff) << 10 | (low & 0x3ff)) + 0x10000;
        taken = 12;
    }
    d->text->len += put_utf8(script_text_reserve(d->L, d->text, 4), (uint32_t)code);
    d->at += taken;
    return true;
}

static char unescaped(char c) {
    switch (c) {
    case '"':
    case '\\':
    case '/': return c;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return 0;
    }
}

/* At the backslash. NULL, or the error's text. */
static const char *take_escape(struct decoder *d) {
    if (d->at[1] == 'u') return take_unicode(d) ? NULL : "invalid unicode escape code";
    char c = unescaped(d->at[1]);
    if (!c) return "invalid escape code";
    script_text_put_char(d->L, d->text, c);
    d->at += 2;
    return NULL;
}

/* Up to the next character with a meaning. */
static struct span plain_part(struct decoder *d) {
    const char *from = d->at;
    while (*d->at != '"' && *d->at != '\\' && *d->at) d->at++;
    return span_make(from, (size_t)(d->at - from));
}

/* After the opening quote. Without escapes the string is where it lies. */
static enum json_token take_string(struct decoder *d) {
    struct span part = plain_part(d);
    script_step(d->L, &d->steps, part.len);
    d->string = part;
    d->text->len = 0;
    while (*d->at != '"') {
        if (!*d->at) return fail(d, "unexpected end of string");
        script_text_put(d->L, d->text, part.data, part.len);
        const char *error = take_escape(d);
        if (error) return fail(d, error);
        part = plain_part(d);
        script_step(d->L, &d->steps, part.len + 1);
        if (*d->at == '"') {
            script_text_put(d->L, d->text, part.data, part.len);
            d->string = span_make(d->text->data, d->text->len);
        }
    }
    d->at++;
    return JSON_STRING;
}

/* ---- numbers */

/* What strtod(3) takes and JSON does not have. */
static bool is_invalid_number(const char *at) {
    if (*at == '+') return true;
    if (*at == '-') at++;
    if (*at == '0') return (at[1] | 32) == 'x' || (at[1] >= '0' && at[1] <= '9');
    if (*at <= '9') return false;
    return strncasecmp(at, "inf", 3) == 0 || strncasecmp(at, "nan", 3) == 0;
}

static bool take_short_integer(struct decoder *d) {
    const char *at = d->at + (*d->at == '-'), *digits = at;
    int64_t value = 0;
    for (; *at >= '0' && *at <= '9' && at - digits < 16; at++) value = value * 10 + (*at - '0');
    if (at == digits || at - digits > 15 || *at == '.' || (*at | 32) == 'e' || (*at | 32) == 'x')
        return false;
    d->number = *d->at == '-' ? -(double)value : (double)value;
    d->at = at;
    return true;
}

static enum json_token take_number(struct decoder *d) {
    char *end;
    if (LIKELY(take_short_integer(d))) return JSON_NUMBER;
    d->number = strtod(d->at, &end);
    if (end == d->at) return fail(d, "invalid number");
    d->at = end;
    return JSON_NUMBER;
}

/* ---- tokens */

static bool take_word(struct decoder *d, const char *word, size_t len) {
    if (strncmp(d->at, word, len) != 0) return false;
    d->at += len;
    return true;
}

static enum json_token take_long_token(struct decoder *d) {
    char c = *d->at;
    if (c == '-' || (c >= '0' && c <= '9')) {
        if (!d->config->decode_invalid && is_invalid_number(d->at))
            return fail(d, "invalid number");
        return take_number(d);
    }
    d->number = c == 't';
    if (take_word(d, "true", 4) || take_word(d, "false", 5)) return JSON_BOOLEAN;
    if (take_word(d, "null", 4)) return JSON_NULL;
    bool may_be = c && strchr("iInN+", c);
    if (d->config->decode_invalid && may_be && is_invalid_number(d->at)) return take_number(d);
    return fail(d, "invalid token");
}

static enum json_token next_token(struct decoder *d) {
    const char *from = d->at;
    while (*d->at == ' ' || *d->at == '\t' || *d->at == '\n' || *d->at == '\r') d->at++;
    script_step(d->L, &d->steps, (size_t)(d->at - from) + 1);
    d->token_at = d->at;
    switch (*d->at) {
    case '\0': return JSON_END;
    case '"': d->at++; return take_string(d);
    case '{': d->at++; return JSON_OBJ_BEGIN;
    case '}': d->at++; return JSON_OBJ_END;
    case '[': d->at++; return JSON_ARR_BEGIN;
    case ']': d->at++; return JSON_ARR_END;
    case ':': d->at++; return JSON_COLON;
    case ',': d->at++; return JSON_COMMA;
    default: return take_long_token(d);
    }
}

/* ---- values */

static void descend(struct decoder *d) {
    d->depth++;
    if (d->depth <= d->config->decode_max_depth && lua_checkstack(d->L, 4)) return;
    luaL_error(d->L, "Found too many nested data structures (%d) at character %d", d->depth,
               (int)(d->at - d->start));
}

static void push_object(struct decoder *d) {
    descend(d);
    lua_newtable(d->L);
    enum json_token token = next_token(d);
    while (token != JSON_OBJ_END) {
        if (token != JSON_STRING) refuse(d, "object key string", token);
        lua_pushlstring(d->L, d->string.data, d->string.len);
        token = next_token(d);
        if (token != JSON_COLON) refuse(d, "colon", token);
        push_value(d, next_token(d));
        lua_rawset(d->L, -3);
        token = next_token(d);
        if (token == JSON_OBJ_END) break;
        if (token != JSON_COMMA) refuse(d, "comma or object end", token);
        token = next_token(d);
        if (token == JSON_OBJ_END) refuse(d, "object key string", token);
    }
    d->depth--;
}

static void push_array(struct decoder *d) {
    descend(d);
    lua_newtable(d->L);
    enum json_token token = next_token(d);
    for (int i = 1; token != JSON_ARR_END; i++) {
        push_value(d, token);
        lua_rawseti(d->L, -2, i);
        token = next_token(d);
        if (token == JSON_ARR_END) break;
        if (token != JSON_COMMA) refuse(d, "comma or array end", token);
        token = next_token(d);
        if (token == JSON_ARR_END) refuse(d, "value", token);
    }
    d->depth--;
}

static void push_value(struct decoder *d, enum json_token token) {
    switch (token) {
    case JSON_STRING: lua_pushlstring(d->L, d->string.data, d->string.len); return;
    case JSON_NUMBER: lua_pushnumber(d->L, d->number); return;
    case JSON_BOOLEAN: lua_pushboolean(d->L, d->number != 0); return;
    case JSON_OBJ_BEGIN: push_object(d); return;
    case JSON_ARR_BEGIN: push_array(d); return;
    case JSON_NULL: lua_pushlightuserdata(d->L, NULL); return; /* nil would remove the key */
    case JSON_OBJ_END:
    case JSON_ARR_END:
    case JSON_COLON:
    case JSON_COMMA:
    case JSON_END:
    case JSON_ERROR: refuse(d, "value", token); return;
    }
}

int json_decode(lua_State *L) {
    size_t len;
    luaL_argcheck(L, lua_gettop(L) == 1, 1, "expected 1 argument");
    const char *text = luaL_checklstring(L, 1, &len);
    if (len >= 2 && (!text[0] || !text[1]))
        return luaL_error(L, "JSON parser does not support UTF-16 or UTF-32");
    struct decoder d = {.L = L,
                        .config = json_config_of(L),
                        .text = script_text_begin(L),
                        .start = text,
                        .at = text};
    push_value(&d, next_token(&d));
    enum json_token token = next_token(&d);
    if (token != JSON_END) return refuse(&d, "the end", token);
    return 1;
}
