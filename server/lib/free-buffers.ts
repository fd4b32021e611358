import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { type: 'minor' | 'major' }) => void

let collect: Collect | undefined

/**
 * The context that lends the function takes half a megabyte: it is made when it is first needed.
 */
function collector(): Collect {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as Collect
}

function free(type: 'minor' | 'major'): void {
  collect ??= collector()
  collect({ type })
}

/**
 * V8 sees of a buffer only a small object, and lets some 60 MB of read ones lie before it frees
 * them. Called now and then while a large file streams through, it keeps the process small; a
 * fraction of a millisecond.
 */
export const freeBuffers = (): void => free('minor')

/**
 * Frees large texts as well, which a minor collection leaves; some 20 milliseconds, so only after
 * many of them.
 */
export const freeTexts = (): void => free('major')
