/* Objects that are read over several turns. There are few at a time: a list is looked through, and only while there is one. */
#include "db/keyspace.h"

static struct db_pin *find_pin(const struct keyspace *ks, const void *object) {
    LIST_FOR_EACH(it, &ks->pins) {
        struct db_pin *pin = LIST_ENTRY(it, struct db_pin, link);
        if (pin->object == object) return pin;
    }
    return NULL;
}

void keyspace_pin(struct keyspace *ks, struct db_pin *pin) {
    pin->dropped = false;
    list_push_back(&ks->pins, &pin->link);
}

void keyspace_unpin(struct keyspace *ks, struct db_pin *pin) {
    list_remove(&pin->link);
    /* The last reader of what has gone. */
    if (pin->dropped && !find_pin(ks, pin->object)) keyspace_drop(ks, pin->type, pin->object);
}

/* Telling one may end others: the list is looked through anew after each. */
void pins_changing(struct keyspace *ks, const void *object) {
    for (struct db_pin *pin; (pin = find_pin(ks, object));) pin->changing(pin);
}

bool pins_take_over(struct keyspace *ks, const void *object) {
    bool pinned = false;
    LIST_FOR_EACH(it, &ks->pins) {
        struct db_pin *pin = LIST_ENTRY(it, struct db_pin, link);
        if (pin->object != object) continue;
        pin->dropped = pinned = true;
    }
    return pinned;
}
