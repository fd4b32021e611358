import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options: { type: 'minor' | 'major' }) => void

/**
 * V8 sees of a buffer only a small object, and lets some 60 MB of read ones lie before it frees them. Called now and then
 * while a large file streams through, it keeps the process small; a fraction of a millisecond.
 */
export const freeBuffers = (): void => collect({ type: 'minor' })

/** Frees large texts as well, which a minor collection leaves; some 20 milliseconds, so only after many of them. */
export const freeTexts = (): void => collect({ type: 'major' })
