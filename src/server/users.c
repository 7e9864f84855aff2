#include "server/users.h"

#include "base/error.h"
#include "base/log.h"
#include "base/words.h"
#include "server/config.h"

/* ---- lines of the configuration */

static int fail(const struct settings_user *line, struct span what, int acl_error,
                struct buf *error) {
    struct buf reason = {0};
    buf_put_text(&reason, "Error in user declaration '");
    buf_put_span(&reason, what);
    buf_printf(&reason, "': %s", acl_error_text(acl_error));
    config_put_fatal(error, line->file, line->line, span_of(line->text), buf_terminate(&reason));
    buf_release(&reason);
    return ERROR_SYNTAX;
}

static int apply_rules(const struct acl *acl, struct acl_user *draft,
                       const struct settings_user *line, const struct words *words,
                       struct buf *error) {
    const struct span *rest = words->at + 2;
    struct acl_rules rules;
    uint32_t unmatched;
    int rc = acl_rules_join(&rules, rest, words->count - 2, &unmatched);
    if (rc < 0) return fail(line, rest[unmatched], rc, error);
    for (uint32_t i = 0; i < rules.count && rc == 0; i++) {
        rc = acl_user_apply(draft, rules.at[i], acl->all_channels);
        if (rc < 0) fail(line, rules.at[i], rc, error);
    }
    acl_rules_release(&rules);
    return rc < 0 ? ERROR_SYNTAX : 0;
}

/* The default user exists before its line, which then says all there is to it. */
static int load_words(struct acl *acl, const struct settings_user *line, const struct words *words,
                      bool *default_seen, struct buf *error) {
    struct span name = words->at[1];
    bool is_default = span_eq(name, SPAN("default"));
    if (acl_has_blanks(name)) return fail(line, name, ACL_ERROR_SYNTAX, error);
    if (is_default ? *default_seen : acl_find(acl, name) != NULL)
        return fail(line, name, ACL_ERROR_DUPLICATE, error);
    struct acl_user *draft = acl_draft(acl, name);
    *default_seen |= is_default;
    if (is_default && acl_user_apply(draft, SPAN("reset"), acl->all_channels) < 0)
        return ERROR_SYNTAX;
    int rc = apply_rules(acl, draft, line, words, error);
    if (rc < 0) {
        acl_user_free(draft);
    } else {
        acl_keep(acl, draft);
    }
    return rc;
}

static int load_lines(struct acl *acl, const struct settings *settings, struct buf *error) {
    bool default_seen = false;
    int rc = 0;
    for (uint32_t i = 0; i < settings->user_count && rc == 0; i++) {
        const struct settings_user *line = &settings->users[i];
        struct words words;
        rc = words_split(span_of(line->text), &words); /* it could be split when it was read */
        if (rc < 0) return rc;
        rc = load_words(acl, line, &words, &default_seen, error);
        words_release(&words);
    }
    return rc;
}

/* ---- the file */

static bool has_file(const struct settings *settings) {
    return settings->aclfile && *settings->aclfile;
}

static int load_file(struct acl *acl, const struct settings *settings, struct buf *error) {
    struct buf problems = {0};
    struct acl_users *users = acl_parse_file(acl, settings->aclfile, &problems);
    if (users) {
        acl_replace(acl, users);
    } else {
        buf_printf(error, "Aborting Rondo startup because of ACL errors: %s\n",
                   buf_terminate(&problems));
    }
    buf_release(&problems);
    return users ? 0 : ERROR_SYNTAX;
}

/* ---- all */

int users_load(struct acl *acl, const struct settings *settings, struct buf *error) {
    acl->all_channels = settings->acl_pubsub_default == ACL_PUBSUB_ALLCHANNELS;
    if (settings->requirepass && *settings->requirepass)
        acl_user_set_password(acl->default_user, span_of(settings->requirepass));
    if (!has_file(settings)) return load_lines(acl, settings, error);
    if (settings->user_count == 0) return load_file(acl, settings, error);
    buf_put_text(error,
                 "Configuring Rondo with users defined in the configuration file and at the same "
                 "setting an ACL file path is invalid. This setup is very likely to lead to "
                 "configuration errors and security holes, please define either an ACL file or "
                 "declare users directly in your configuration file, but not both.\n");
    return ERROR_SYNTAX;
}

void users_warn(const struct acl *acl, const struct settings *settings) {
    if (has_file(settings) || settings->user_count == 0) return;
    for (uint32_t i = 0; i < acl->users.count; i++) {
        const struct acl_user *u = acl->users.at[i];
        if (u->enabled) continue;
        log_notice("The user '%s' is disabled (there is no 'on' modifier in the user description). "
                   "Make sure this is not a configuration error.",
                   u->name);
    }
}

/* Quotes mean something in a configuration line, so a word with quotes in it is quoted. */
static void put_words(struct span text, struct buf *out) {
    while (text.len > 0) {
        const char *end = memchr(text.data, ' ', text.len);
        struct span word = span_make(text.data, end ? (size_t)(end - text.data) : text.len);
        bool quoted = memchr(word.data, '"', word.len) || memchr(word.data, '\'', word.len);
        buf_put_char(out, ' ');
        if (quoted) {
            words_quote(out, word);
        } else {
            buf_put_span(out, word);
        }
        size_t used = MIN(word.len + 1, text.len);
        text = span_make(text.data + used, text.len - used);
    }
}

void users_put_config(const struct acl *acl, const struct settings *settings, struct buf *out) {
    struct buf rules = {0};
    if (has_file(settings)) return;
    for (uint32_t i = 0; i < acl->users.count; i++) {
        buf_clear(&rules);
        acl_user_put(acl->users.at[i], &rules);
        buf_put_text(out, "user");
        put_words(acl_user_name(acl->users.at[i]), out);
        put_words(buf_span(&rules), out);
        buf_put_char(out, '\n');
    }
    buf_release(&rules);
}
