#include "base/list.h"

#include "test.h"

struct item {
    int value;
    struct list node;
};

static int sum_in_order(struct list *head) {
    int sum = 0;
    LIST_FOR_EACH(it, head) sum = sum * 10 + LIST_ENTRY(it, struct item, node)->value;
    return sum;
}

static void test_list(void) {
    struct item items[4] = {{.value = 1}, {.value = 2}, {.value = 3}, {.value = 4}};
    struct list head;
    list_init(&head);
    EXPECT(list_empty(&head));
    list_push_back(&head, &items[1].node);
    list_push_back(&head, &items[2].node);
    list_push_front(&head, &items[0].node);
    list_push_back(&head, &items[3].node);
    EXPECT_INT(1234, sum_in_order(&head));
    list_remove(&items[1].node);
    list_remove(&items[1].node);
    EXPECT_INT(134, sum_in_order(&head));
    LIST_FOR_EACH_SAFE(it, &head) {
        if (LIST_ENTRY(it, struct item, node)->value != 3) list_remove(it);
    }
    EXPECT_INT(3, sum_in_order(&head));
    list_remove(&items[2].node);
    EXPECT(list_empty(&head));
}

int main(int argc, char **argv) {
    static const struct test tests[] = {{"list", test_list}};
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
