import { setFlagsFromString } from 'node:v8'
import { fitYoungHeap } from '../lib/young-heap.ts'

/** Comes first, before anything grows. */
fitYoungHeap()

/**
 * undici reads HTTP answers with one large WebAssembly function. After some twenty answers V8 would
 * compile it again, which makes it no faster in what Kurir does and takes 16 to 23 MB that the
 * process often keeps (bench/README.md).
 */
setFlagsFromString('--no-wasm-tier-up')
setFlagsFromString('--no-wasm-dynamic-tiering')
