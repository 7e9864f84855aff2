/* CRC-64 with Jones's polynomial 0xad93d23594c935a9, reflected, no initial value and no final exclusive or: what closes a DUMP
 * payload. From D. T. Jones, "An Improved 64-bit Cyclic Redundancy Check for Protein Sequences" (2001); listed as CRC-64/REDIS in
 * https://reveng.sourceforge.io/crc-catalogue/ . Of "123456789": 0xe9c6d914c4b8d9ca. */
#ifndef PERSIST_CRC64_H
#define PERSIST_CRC64_H

#include <stdint.h>

#include "base/span.h"

/* The checksum of what came before (0 at first) and these bytes. */
uint64_t crc64(uint64_t crc, struct span bytes);

#endif
