import { freeBytes } from '../data-folder/disk.ts'
import type { ConcernFacts } from '../health/concerns/facts.ts'
import type { HealthContext } from '../health/context.ts'
import { VERSION } from '../lib/version.ts'
import type { Core } from './core.ts'
import type { Sending } from './sending.ts'

interface Reporting {
  concernFacts?: () => Promise<Partial<ConcernFacts>>
}

/**
 * Context of reports about the whole program. `host`: the address that this run listens on.
 * `slices`: those that have something to report, as soon as they are plugged in.
 */
export function createHealthContext(
  core: Core,
  sending: Sending,
  host: string,
  slices: readonly Reporting[],
): HealthContext {
  const { deployment, config, overrides, store, settings, uptime, clock, logger } = core
  return {
    store,
    settings: settings.get,
    run: {
      version: VERSION,
      host,
      onServer: deployment.node !== null,
      uptime,
      awakeSince: core.awakeSince,
      freeBytes: overrides.freeBytes ?? (() => freeBytes(config.home)),
      updateReady: () => core.update.version,
    },
    official: sending.official,
    linking: (senderId) => sending.connections.get(senderId)?.linking() ?? null,
    async factsOfOthers() {
      const ofSlices = slices.map((slice) => slice.concernFacts?.())
      return Object.assign({}, ...(await Promise.all([deployment.concernFacts(core.awakeSince()), ...ofSlices])))
    },
    clock,
    logger,
  }
}
