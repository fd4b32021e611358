import type { Profiler } from 'node:inspector'
import { Session } from 'node:inspector/promises'

const SAMPLED_EVERY_US = 500
const OURS = /\/dist\/server\//

/** A stretch is a time in which the main thread began no new task. `ms`: the longest one. */
export interface Stretch {
  ms: number
  /** Most CPU time within one stretch. On a shared machine the rest may be other programs' work. */
  cpuMs: number
  /** The function of Kurir that used most of that CPU time. */
  place: string
}

/** Watches this process's main thread between two messages of its parent. */
export function answerForStretches(): void {
  let end: (() => Promise<Stretch>) | undefined
  process.on('message', async ({ watch }: { watch?: boolean }) => {
    if (watch === true) {
      end = await begin()
      process.send?.({})
    } else if (watch === false) process.send?.(await end?.())
  })
}

async function begin(): Promise<() => Promise<Stretch>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLED_EVERY_US })
  await session.post('Profiler.start')
  const busiest = { from: 0, to: 0, cpuMs: 0 }
  let longestMs = 0
  let cpu = threadMs()
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    const cpuNow = threadMs()
    longestMs = Math.max(longestMs, now - last)
    if (cpuNow - cpu > busiest.cpuMs) Object.assign(busiest, { from: last, to: now, cpuMs: cpuNow - cpu })
    last = now
    cpu = cpuNow
  }, 1)
  const offsetUs = Number(process.hrtime.bigint() / 1000n) - performance.now() * 1000
  return async () => {
    clearInterval(timer)
    const { profile } = await session.post('Profiler.stop')
    session.disconnect()
    const { from, to, cpuMs } = busiest
    const place = placeOf(profile, offsetUs + from * 1000, offsetUs + to * 1000)
    return { ms: longestMs, cpuMs, place }
  }
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Returns the innermost function of Kurir that most samples of a span share. */
function placeOf(
  { nodes, startTime, samples = [], timeDeltas = [] }: Profiler.Profile,
  from: number,
  to: number,
): string {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
  const counts = new Map<string, number>()
  let at = startTime
  for (const [n, id] of samples.entries()) {
    at += timeDeltas[n] ?? 0
    if (at < from || at > to) continue
    const place = innermost(id)
    counts.set(place, (counts.get(place) ?? 0) + 1)
  }
  function innermost(id: number): string {
    const native = byId.get(id)?.callFrame.functionName ?? ''
    for (let each: number | undefined = id; each !== undefined; each = parents.get(each)) {
      const { functionName, url, lineNumber } = byId.get(each)?.callFrame ?? {
        functionName: '',
        url: '',
        lineNumber: 0,
      }
      if (!OURS.test(url)) continue
      const file = url.replace(/^.*\/dist\//, '')
      return `${functionName || 'a function'} (${file}:${lineNumber + 1})`
    }
    return native
  }
  const [first] = [...counts].sort(([, a], [, b]) => b - a)
  return first?.[0] ?? 'unknown'
}
