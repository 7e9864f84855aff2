/* Inside acl only: the lists of key and channel patterns. */
#ifndef ACL_PATTERNS_H
#define ACL_PATTERNS_H

#include "acl/selector.h"

void patterns_clear(struct acl_patterns *p);
void patterns_copy(struct acl_patterns *to, const struct acl_patterns *from); /* `to` is empty */
/* A text that is there already gets the access in addition. */
void patterns_add(struct acl_patterns *p, struct span text, unsigned access);
bool patterns_have(const struct acl_patterns *p, struct span text); /* letter for letter */

#endif
