/* An intrusive, circular, doubly linked list. The head is a node; an empty list points at itself. All O(1). */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stdbool.h>

#include "base/compat.h"

struct list {
    struct list *next, *prev;
};

#define LIST_ENTRY(node, type, member) CONTAINER_OF(node, type, member)
#define LIST_FOR_EACH(it, head) for (struct list *it = (head)->next; it != (head); it = it->next)
/* The body may remove `it`. */
#define LIST_FOR_EACH_SAFE(it, head) \
    for (struct list *it = (head)->next, *it##_next = it->next; it != (head); it = it##_next, it##_next = it->next)

INLINE void list_init(struct list *l) {
    l->next = l->prev = l;
}
INLINE bool list_empty(const struct list *l) {
    return l->next == l;
}
INLINE void list_push_back(struct list *head, struct list *node) {
    node->prev = head->prev;
    node->next = head;
    head->prev->next = node;
    head->prev = node;
}
INLINE void list_push_front(struct list *head, struct list *node) {
    list_push_back(head->next, node);
}
/* Removes and leaves the node pointing at itself: removing twice is harmless. */
INLINE void list_remove(struct list *node) {
    node->prev->next = node->next;
    node->next->prev = node->prev;
    list_init(node);
}

#endif
