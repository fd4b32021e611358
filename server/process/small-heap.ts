import { keepYoungHeapSmall } from '../lib/young-heap.ts'

/** Comes first, before anything grows. */
keepYoungHeapSmall()
