import { setFlagsFromString } from 'node:v8'

/**
 * Comes first, before anything grows. V8 lets the young part of its heap grow to 48 MB, which a program that mostly waits
 * never gives back. Kept small, the process takes a sixth less memory; fifty calls at once are up to a fifth slower, which no
 * shop has (bench/README.md). A node of several has them, and what its calls are about lives until the database has answered:
 * with so little room it is copied again and again, which takes a third of the processor time and saves no memory.
 */
if (!process.env.KURIR_DATABASE_URL) {
  setFlagsFromString('--max-semi-space-size=2')
  setFlagsFromString('--semi-space-growth-factor=1')
} else setFlagsFromString('--max-semi-space-size=4')

/**
 * undici reads HTTP answers with one large WebAssembly function. After some twenty answers V8 would compile it again, which makes
 * it no faster in what Kurir does and takes 16 to 23 MB that the process often keeps (bench/README.md).
 */
setFlagsFromString('--no-wasm-tier-up')
setFlagsFromString('--no-wasm-dynamic-tiering')
