#include "acl/acl.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/error.h"
#include "base/file.h"
#include "base/words.h"

/* ---- the sorted list */

/* The place of the name, or where it would be. */
static uint32_t place_of(const struct acl_users *users, struct span name) {
    uint32_t low = 0, high = users->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (span_compare(acl_user_name(users->at[middle]), name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct acl_user *acl_users_find(const struct acl_users *users, struct span name) {
    uint32_t at = place_of(users, name);
    if (at == users->count || !span_eq(acl_user_name(users->at[at]), name)) return NULL;
    return users->at[at];
}

static void insert(struct acl_users *users, struct acl_user *user) {
    uint32_t at = place_of(users, acl_user_name(user));
    if ((users->count & (users->count - 1)) == 0) { /* full whenever the count is a power of two */
        users->at = mem_realloc(users->at, MAX(2 * users->count, 1u) * sizeof *users->at);
    }
    memmove(users->at + at + 1, users->at + at, (users->count - at) * sizeof *users->at);
    users->at[at] = user;
    users->count++;
}

static void take_out(struct acl_users *users, uint32_t at) {
    users->count--;
    memmove(users->at + at, users->at + at + 1, (users->count - at) * sizeof *users->at);
}

static void release_users(struct acl_users *users) {
    for (uint32_t i = 0; i < users->count; i++) acl_user_free(users->at[i]);
    mem_free(users->at);
    *users = (struct acl_users){0};
}

void acl_users_free(struct acl_users *users) {
    if (!users) return;
    release_users(users);
    mem_free(users);
}

/* ---- life */

static const char *const default_rules[] = {"allcommands", "allkeys", "allchannels", "on",
                                            "nopass"};

static struct acl_user *new_default(const struct acl *acl) {
    struct acl_user *u = acl_user_new(&acl->catalogue, SPAN("default"));
    for (size_t i = 0; i < ARRAY_LENGTH(default_rules); i++) {
        CHECK(acl_user_apply(u, span_of(default_rules[i]), false) == 0);
    }
    return u;
}

struct acl *acl_new(struct acl_catalogue catalogue) {
    struct acl *acl = mem_zalloc(sizeof *acl);
    acl->catalogue = catalogue;
    acl_log_init(&acl->log);
    acl->default_user = new_default(acl);
    insert(&acl->users, acl->default_user);
    return acl;
}

void acl_free(struct acl *acl) {
    if (!acl) return;
    release_users(&acl->users);
    acl_log_release(&acl->log);
    acl_catalogue_release(&acl->catalogue);
    mem_free(acl);
}

struct acl_user *acl_find(const struct acl *acl, struct span name) {
    return acl_users_find(&acl->users, name);
}

/* ---- changing one */

static struct acl_user *new_user(const struct acl *acl, struct span name) {
    struct acl_user *u = acl_user_new(&acl->catalogue, name);
    u->selectors[0]->channels.all = acl->all_channels;
    return u;
}

struct acl_user *acl_draft(const struct acl *acl, struct span name) {
    struct acl_user *draft = new_user(acl, name);
    const struct acl_user *have = acl_find(acl, name);
    if (have) acl_user_copy(draft, have);
    return draft;
}

struct acl_user *acl_keep(struct acl *acl, struct acl_user *draft) {
    struct acl_user *have = acl_find(acl, acl_user_name(draft));
    if (!have) {
        insert(&acl->users, draft);
        return draft;
    }
    acl_user_swap(have, draft);
    acl_user_free(draft);
    return have;
}

int acl_apply_words(const struct acl *acl, struct acl_user *draft, const struct span *words,
                    uint32_t count, struct buf *error) {
    struct acl_rules rules;
    uint32_t unmatched;
    int rc = acl_rules_join(&rules, words, count, &unmatched);
    if (rc < 0) {
        buf_printf(error, "Unmatched parenthesis in acl selector starting at '%.*s'.",
                   (int)MIN(words[unmatched].len, (size_t)ACL_RULE_BYTES_MAX),
                   words[unmatched].data);
        return rc;
    }
    for (uint32_t i = 0; i < rules.count && rc == 0; i++) {
        struct span rule = rules.at[i];
        rc = acl_user_apply(draft, rule, acl->all_channels);
        if (rc == 0) continue;
        buf_printf(error, "Error in ACL SETUSER modifier '%.*s': %s",
                   (int)MIN(rule.len, (size_t)ACL_RULE_BYTES_MAX), rule.data, acl_error_text(rc));
    }
    acl_rules_release(&rules);
    return rc;
}

bool acl_remove(struct acl *acl, struct span name) {
    struct acl_user *u = acl_find(acl, name);
    if (!u || u == acl->default_user) return false;
    take_out(&acl->users, place_of(&acl->users, name));
    acl_user_free(u);
    return true;
}

/* ---- all of them */

void acl_replace(struct acl *acl, struct acl_users *fresh) {
    struct acl_users old = acl->users;
    if (!acl_users_find(fresh, SPAN("default"))) insert(fresh, new_default(acl));
    acl->users = (struct acl_users){0};
    for (uint32_t i = 0; i < fresh->count; i++) {
        struct acl_user *u = fresh->at[i];
        uint32_t at = place_of(&old, acl_user_name(u));
        if (at < old.count && span_eq(acl_user_name(old.at[at]), acl_user_name(u))) {
            struct acl_user *stays = old.at[at];
            acl_user_swap(stays, u);
            acl_user_free(u);
            take_out(&old, at);
            u = stays;
        }
        insert(&acl->users, u);
    }
    fresh->count = 0;
    acl_users_free(fresh);
    release_users(&old);
}

/* ---- a file's text */

struct parser {
    const struct acl *acl;
    const char *path;
    struct acl_users *users;
    struct buf *error;
    uint32_t line;
};

/* Of unknown commands all are named, for they are no secret; of other errors the first, since others may follow from it. */
static void apply_rules(struct parser *p, struct acl_user *u, const struct acl_rules *rules) {
    bool told = false;
    for (uint32_t i = 0; i < rules->count; i++) {
        struct span rule = span_trim(rules->at[i]);
        int error = acl_user_apply(u, rule, p->acl->all_channels);
        if (error == ACL_ERROR_UNKNOWN) {
            buf_printf(p->error, "%s:%u: Error in applying operation '%.*s': %s. ", p->path,
                       p->line, (int)rule.len, rule.data, acl_error_text(error));
        } else if (error < 0 && !told) {
            buf_printf(p->error, "%s:%u: %s. ", p->path, p->line, acl_error_text(error));
            told = true;
        }
    }
}

static void parse_rules(struct parser *p, struct acl_user *u, const struct span *words,
                        uint32_t count) {
    struct acl_rules rules;
    uint32_t unmatched;
    if (acl_rules_join(&rules, words, count, &unmatched) < 0) {
        buf_printf(p->error, "%s:%u: Unmatched parenthesis in selector definition.", p->path,
                   p->line);
        return;
    }
    apply_rules(p, u, &rules);
    acl_rules_release(&rules);
}

static void parse_words(struct parser *p, const struct words *words) {
    if (words->count < 2 || !span_eq(words->at[0], SPAN("user"))) {
        buf_printf(p->error, "%s:%u should start with user keyword followed by the username. ",
                   p->path, p->line);
        return;
    }
    struct span name = words->at[1];
    if (acl_has_blanks(name)) {
        buf_printf(p->error, "'%s:%u: username '%.*s' contains invalid characters. ", p->path,
                   p->line, (int)name.len, name.data);
        return;
    }
    if (acl_users_find(p->users, name)) {
        buf_printf(p->error, "WARNING: Duplicate user '%.*s' found on line %u. ", (int)name.len,
                   name.data, p->line);
        return;
    }
    struct acl_user *u = new_user(p->acl, name);
    insert(p->users, u);
    parse_rules(p, u, words->at + 2, words->count - 2);
}

static void parse_line(struct parser *p, struct span line) {
    struct words words;
    line = span_trim(line);
    if (line.len == 0) return;
    if (words_split_plain(line, &words) < 0) {
        buf_printf(p->error, "%s:%u: too many words in acl line. ", p->path, p->line);
        return;
    }
    parse_words(p, &words);
    words_release(&words);
}

struct acl_users *acl_parse(const struct acl *acl, struct span text, const char *path,
                            struct buf *error) {
    struct parser p = {.acl = acl, .path = path, .error = error};
    size_t before = error->len;
    p.users = mem_zalloc(sizeof *p.users);
    while (text.len > 0) {
        const char *end = memchr(text.data, '\n', text.len);
        size_t len = end ? (size_t)(end - text.data) : text.len;
        p.line++;
        parse_line(&p, span_make(text.data, len));
        len = MIN(len + 1, text.len);
        text = span_make(text.data + len, text.len - len);
    }
    if (error->len == before) return p.users;
    buf_put_text(error, "WARNING: ACL errors detected, no change to the previously active ACL "
                        "rules was performed");
    acl_users_free(p.users);
    return NULL;
}

struct acl_users *acl_parse_file(const struct acl *acl, const char *path, struct buf *error) {
    struct buf text = {0};
    struct acl_users *users = NULL;
    int rc = file_read(path, ACL_FILE_BYTES_MAX, &text);
    if (rc < 0) {
        buf_printf(error, "Error loading ACLs, opening file '%s': %s", path, error_text(rc));
    } else {
        users = acl_parse(acl, buf_span(&text), path, error);
    }
    buf_release(&text);
    return users;
}

void acl_put(const struct acl *acl, struct buf *out) {
    for (uint32_t i = 0; i < acl->users.count; i++) {
        buf_put_text(out, "user ");
        buf_put_span(out, acl_user_name(acl->users.at[i]));
        buf_put_char(out, ' ');
        acl_user_put(acl->users.at[i], out);
        buf_put_char(out, '\n');
    }
}

int acl_save_file(const struct acl *acl, const char *path) {
    struct buf text = {0};
    acl_put(acl, &text);
    int rc = file_replace(path, buf_span(&text));
    buf_release(&text);
    return rc;
}
