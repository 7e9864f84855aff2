#include "acl/user.h"

#include "acl/patterns.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/words.h"

/* ---- life */

struct acl_user *acl_user_new(const struct acl_catalogue *catalogue, struct span name) {
    struct acl_user *u = mem_zalloc(sizeof *u);
    u->name = mem_alloc(name.len + 1);
    if (name.len) memcpy(u->name, name.data, name.len);
    u->name[name.len] = '\0';
    u->name_len = name.len;
    u->selectors = mem_alloc(sizeof *u->selectors);
    u->selectors[0] = acl_selector_new(catalogue);
    u->selector_count = 1;
    return u;
}

static void release_selectors(struct acl_user *u, uint32_t from) {
    for (uint32_t i = from; i < u->selector_count; i++) acl_selector_free(u->selectors[i]);
    u->selector_count = from;
}

static void release_content(struct acl_user *u) {
    release_selectors(u, 0);
    mem_free(u->selectors);
    mem_free(u->passwords);
}

void acl_user_free(struct acl_user *u) {
    if (!u) return;
    release_content(u);
    mem_free(u->name);
    mem_free(u);
}

void acl_user_swap(struct acl_user *a, struct acl_user *b) {
    struct acl_user content = *a;
    char *a_name = a->name, *b_name = b->name;
    size_t a_len = a->name_len, b_len = b->name_len;
    *a = *b;
    *b = content;
    a->name = a_name;
    a->name_len = a_len;
    b->name = b_name;
    b->name_len = b_len;
}

void acl_user_copy(struct acl_user *to, const struct acl_user *from) {
    struct acl_user copy = *from;
    size_t password_bytes = from->password_count * sizeof *from->passwords;
    copy.name = to->name;
    copy.name_len = to->name_len;
    copy.passwords = password_bytes ? mem_alloc(password_bytes) : NULL;
    if (password_bytes) memcpy(copy.passwords, from->passwords, password_bytes);
    copy.selectors = mem_alloc(from->selector_count * sizeof *copy.selectors);
    for (uint32_t i = 0; i < from->selector_count; i++) {
        copy.selectors[i] = acl_selector_copy(from->selectors[i]);
    }
    release_content(to);
    *to = copy;
}

/* ---- passwords */

static void clear_passwords(struct acl_user *u) {
    mem_free(u->passwords);
    u->passwords = NULL;
    u->password_count = 0;
}

static int find_password(const struct acl_user *u, const uint8_t digest[SHA256_BYTES]) {
    int found = -1;
    for (uint32_t i = 0; i < u->password_count; i++) {
        if (secret_equal(u->passwords[i], digest, SHA256_BYTES)) found = (int)i;
    }
    return found;
}

static void add_password(struct acl_user *u, const uint8_t digest[SHA256_BYTES]) {
    u->no_password = false;
    if (find_password(u, digest) >= 0) return;
    u->passwords = mem_realloc(u->passwords, (u->password_count + 1) * sizeof *u->passwords);
    memcpy(u->passwords[u->password_count++], digest, SHA256_BYTES);
}

static int remove_password(struct acl_user *u, const uint8_t digest[SHA256_BYTES]) {
    int at = find_password(u, digest);
    if (at < 0) return ACL_ERROR_NO_SUCH_PASSWORD;
    u->password_count--;
    memmove(u->passwords[at], u->passwords[at + 1],
            (u->password_count - (uint32_t)at) * sizeof *u->passwords);
    return 0;
}

static int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool parse_hash(struct span hex, uint8_t digest[SHA256_BYTES]) {
    if (hex.len != SHA256_HEX_DIGITS) return false;
    for (int i = 0; i < SHA256_BYTES; i++) {
        int high = hex_value(hex.data[2 * i]), low = hex_value(hex.data[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        digest[i] = (uint8_t)(high * 16 + low);
    }
    return true;
}

/* >password <password #hash !hash */
static int apply_password(struct acl_user *u, struct span rule) {
    struct span text = span_make(rule.data + 1, rule.len - 1);
    uint8_t digest[SHA256_BYTES];
    char kind = rule.data[0];
    if (kind == '>' || kind == '<') {
        sha256(text.data, text.len, digest);
    } else if (!parse_hash(text, digest)) {
        return ACL_ERROR_HASH;
    }
    if (kind == '<' || kind == '!') return remove_password(u, digest);
    add_password(u, digest);
    return 0;
}

void acl_user_set_password(struct acl_user *u, struct span password) {
    uint8_t digest[SHA256_BYTES];
    clear_passwords(u);
    u->no_password = password.len == 0;
    if (password.len == 0) return;
    sha256(password.data, password.len, digest);
    add_password(u, digest);
}

bool acl_user_accepts(const struct acl_user *u, struct span password) {
    uint8_t digest[SHA256_BYTES];
    if (!u->enabled) return false;
    if (u->no_password) return true;
    sha256(password.data, password.len, digest);
    return find_password(u, digest) >= 0;
}

/* ---- rules */

/* "(~key +get)": quotes count as in a configuration line. */
static int apply_selector(struct acl_user *u, struct span rule) {
    struct acl_selector *s = acl_selector_new(u->selectors[0]->catalogue);
    struct words words;
    int error = words_split(span_make(rule.data + 1, rule.len - 2), &words);
    if (error < 0) {
        acl_selector_free(s);
        return ACL_ERROR_SYNTAX;
    }
    for (uint32_t i = 0; i < words.count && error == 0; i++) {
        error = acl_selector_apply(s, words.at[i]);
    }
    words_release(&words);
    if (error < 0) {
        acl_selector_free(s);
        return error;
    }
    u->selectors = mem_realloc(u->selectors, (u->selector_count + 1) * sizeof *u->selectors);
    u->selectors[u->selector_count++] = s;
    return 0;
}

static void reset(struct acl_user *u, bool all_channels) {
    struct acl_selector *root = acl_selector_new(u->selectors[0]->catalogue);
    root->channels.all = all_channels;
    release_selectors(u, 0);
    u->selectors[0] = root;
    u->selector_count = 1;
    clear_passwords(u);
    u->enabled = u->no_password = u->skip_sanitize = false;
}

static bool apply_word(struct acl_user *u, struct span rule, bool all_channels) {
    if (span_is(rule, "on") || span_is(rule, "off")) {
        u->enabled = span_is(rule, "on");
    } else if (span_is(rule, "skip-sanitize-payload") || span_is(rule, "sanitize-payload")) {
        u->skip_sanitize = span_is(rule, "skip-sanitize-payload");
    } else if (span_is(rule, "nopass") || span_is(rule, "resetpass")) {
        clear_passwords(u);
        u->no_password = span_is(rule, "nopass");
    } else if (span_is(rule, "clearselectors")) {
        release_selectors(u, 1);
    } else if (span_is(rule, "reset")) {
        reset(u, all_channels);
    } else {
        return false;
    }
    return true;
}

static int apply(struct acl_user *u, struct span rule, bool all_channels) {
    if (rule.len == 0) return 0;
    if (rule.len > ACL_RULE_BYTES_MAX) return ACL_ERROR_SYNTAX;
    if (apply_word(u, rule, all_channels)) return 0;
    char first = rule.data[0];
    if (first == '>' || first == '<' || first == '#' || first == '!')
        return apply_password(u, rule);
    if (first == '(' && rule.len > 1 && rule.data[rule.len - 1] == ')')
        return apply_selector(u, rule);
    return acl_selector_apply(u->selectors[0], rule);
}

static bool allows_everything(const struct acl_selector *s) {
    return s->all_commands && s->keys.all && s->channels.all;
}

int acl_user_apply(struct acl_user *u, struct span rule, bool all_channels) {
    int error = apply(u, rule, all_channels);
    u->unrestricted = false;
    for (uint32_t i = 0; i < u->selector_count; i++) {
        u->unrestricted |= allows_everything(u->selectors[i]);
    }
    return error;
}

/* ---- texts */

uint32_t acl_user_flags(const struct acl_user *u, const char *flags[ACL_USER_FLAGS_MAX]) {
    uint32_t count = 0;
    flags[count++] = u->enabled ? "on" : "off";
    if (u->no_password) flags[count++] = "nopass";
    flags[count++] = u->skip_sanitize ? "skip-sanitize-payload" : "sanitize-payload";
    return count;
}

void acl_user_put(const struct acl_user *u, struct buf *out) {
    const char *flags[ACL_USER_FLAGS_MAX];
    char hex[SHA256_HEX_DIGITS];
    uint32_t flag_count = acl_user_flags(u, flags);
    for (uint32_t i = 0; i < flag_count; i++) buf_printf(out, "%s ", flags[i]);
    for (uint32_t i = 0; i < u->password_count; i++) {
        sha256_hex(u->passwords[i], hex);
        buf_printf(out, "#%.*s ", SHA256_HEX_DIGITS, hex);
    }
    acl_selector_put(u->selectors[0], false, out);
    for (uint32_t i = 1; i < u->selector_count; i++) {
        buf_put_text(out, " (");
        acl_selector_put(u->selectors[i], true, out);
        buf_put_char(out, ')');
    }
}

/* ---- words to rules */

static bool ends_selector(struct span word) {
    return word.len > 0 && word.data[word.len - 1] == ')';
}

static bool opens_selector(struct span word) {
    return word.len > 0 && word.data[0] == '(' && !ends_selector(word);
}

int acl_rules_join(struct acl_rules *rules, const struct span *words, uint32_t count,
                   uint32_t *unmatched) {
    size_t bytes = 1;
    for (uint32_t i = 0; i < count; i++) bytes += words[i].len + 1;
    *rules = (struct acl_rules){.at = mem_try_alloc((count + 1) * sizeof *rules->at),
                                .text = mem_try_alloc(bytes)};
    *unmatched = 0;
    char *to = rules->text;
    bool open = false;
    for (uint32_t i = 0; rules->at && to && i < count; i++) {
        if (!open && !opens_selector(words[i])) {
            rules->at[rules->count++] = words[i];
            continue;
        }
        if (!open) {
            *unmatched = i;
            rules->at[rules->count] = span_make(to, 0);
        } else {
            *to++ = ' ';
        }
        if (words[i].len) memcpy(to, words[i].data, words[i].len);
        to += words[i].len;
        rules->at[rules->count].len = (size_t)(to - rules->at[rules->count].data);
        open = !ends_selector(words[i]);
        if (!open) rules->count++;
    }
    if (!open && rules->at && to) return 0;
    acl_rules_release(rules);
    return ACL_ERROR_SYNTAX;
}

void acl_rules_release(struct acl_rules *rules) {
    mem_free(rules->at);
    mem_free(rules->text);
    *rules = (struct acl_rules){0};
}
