/** Moments at which the power may go. */
export type Moment = 'posted' | 'answered' | 'called back'

export type Witness = ReturnType<typeof createWitness>

/** Counts what happens, and says when it has happened so often. */
export function createWitness() {
  const counts: Record<Moment, number> = { posted: 0, answered: 0, 'called back': 0 }
  let waiting: { moment: Moment; count: number; resolve: () => void }[] = []
  return {
    note(moment: Moment): void {
      counts[moment] += 1
      const met = waiting.filter((one) => one.moment === moment && one.count <= counts[moment])
      waiting = waiting.filter((one) => !met.includes(one))
      for (const { resolve } of met) resolve()
    },
    /** Resolves after `more` further ones. */
    after: (moment: Moment, more: number): Promise<void> =>
      new Promise((resolve) => waiting.push({ moment, count: counts[moment] + more, resolve })),
  }
}
