/** How far a message came, as WhatsApp has told the shop's number. */
export type Known = 'nothing' | 'sent' | 'delivered' | 'read'

/** What became of one message, as seen by its caller and by its recipient. Times in milliseconds. */
export interface Experience {
  /** Messages of one label are one line of the table. */
  label: string
  /** `known` wrote to the shop before; `wrong` is not on WhatsApp. */
  who: 'known' | 'stranger' | 'wrong'
  acceptedAt: number
  /** When WhatsApp had it; null: never. */
  sentAt: number | null
  status: string
  error: string | null
  /** How many different messages with this text the recipient has. */
  arrived: number
  known: Known
}

/** A time in which messages cannot leave, and why. */
export interface Closed {
  from: number
  until: number
  why: string
  /** Whose messages wait; everybody's unless it is only strangers'. */
  holds: 'all' | 'strangers'
  /** How many connections may be attempted in it; undefined: as many as back-off makes. */
  mostAttempts?: number
}

export interface Observed {
  experiences: Experience[]
  closed: Closed[]
  /** When a connection was attempted. */
  attempts: number[]
  /** When a number was looked up, and whether it was on WhatsApp. */
  lookUps: { at: number; wrong: boolean }[]
  /** What no client of WhatsApp's does, in words. */
  slips: string[]
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** A message may take so long without any reason: retries, pacing, a reconnection. */
const PATIENCE = 10 * MINUTE
/** What waited behind a closed time leaves with all others. */
const APART = 1_000
const MOST_WRONG = 20

const appliesTo = ({ holds }: Closed, { who }: Experience): boolean => holds === 'all' || who !== 'known'

/** How long a message waited without a reason. */
export function unexplained(experience: Experience, closed: Closed[], end: number): number {
  const until = experience.sentAt ?? end
  const windows = closed
    .filter((window) => appliesTo(window, experience))
    .map(({ from, until: to }) => ({ from: Math.max(from, experience.acceptedAt), to: Math.min(to, until) }))
    .filter(({ from, to }) => to > from)
    .sort((a, b) => a.from - b.from)
  let explained = 0
  let covered = experience.acceptedAt
  for (const { from, to } of windows) {
    explained += Math.max(0, to - Math.max(from, covered))
    covered = Math.max(covered, to)
  }
  return until - experience.acceptedAt - explained
}

const TOLD: ReadonlySet<string> = new Set<Known>(['sent', 'delivered', 'read'])
/** A status says what WhatsApp has told, no more and no less. */
const isTrue = ({ status, known }: Experience): boolean => (known === 'nothing' ? !TOLD.has(status) : status === known)

const clock = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ')
const minutes = (ms: number): string => (ms >= HOUR ? `${(ms / HOUR).toFixed(1)} h` : `${Math.round(ms / MINUTE)} min`)

function lieOf(experience: Experience): string[] {
  const { status, known, label, acceptedAt } = experience
  if (isTrue(experience)) return []
  return [`untrue: ${label}, accepted ${clock(acceptedAt)} is called ${status}; WhatsApp has told: ${known}`]
}

function faultsOf(experience: Experience, closed: Closed[], end: number): string[] {
  const { who, arrived, status, error, label, acceptedAt } = experience
  const name = `${label}, accepted ${clock(acceptedAt)}`
  if (arrived > 1) return [`doubled: ${name} arrived ${arrived} times`]
  if (who === 'wrong') return arrived === 0 ? [] : [`arrived at a number that does not exist: ${name}`]
  if (arrived === 0) return who === 'known' ? [`lost: ${name} ended as ${status}${error ? ` (${error})` : ''}`] : []
  const late = unexplained(experience, closed, end)
  return who === 'known' && late > PATIENCE ? [`late: ${name} waited ${minutes(late)} without a reason`] : []
}

function attemptFaults({ closed, attempts }: Observed): string[] {
  return closed.flatMap(({ from, until, why, mostAttempts }) => {
    if (mostAttempts === undefined) return []
    const count = attempts.filter((at) => at > from && at < until).length
    return count > mostAttempts ? [`attempted: ${count} connections during ${why}, ${mostAttempts} at most`] : []
  })
}

/** Look-ups are a second apart, and an hour apart after twenty wrong ones in a row. */
function lookUpFaults({ lookUps }: Observed): string[] {
  const close = lookUps.filter(({ at }, index) => index > 0 && at - (lookUps[index - 1]?.at ?? 0) < APART).length
  let inARow = 0
  let beyond = 0
  for (const [index, { at, wrong }] of lookUps.entries()) {
    if (inARow >= MOST_WRONG && at - (lookUps[index - 1]?.at ?? 0) >= HOUR) inARow = 0
    if (inARow >= MOST_WRONG) beyond += 1
    inARow = wrong ? inARow + 1 : 0
  }
  return [
    ...(close > 0 ? [`looked up: ${close} numbers less than a second after the one before`] : []),
    ...(beyond > 0 ? [`looked up: ${beyond} more numbers after twenty wrong ones in a row`] : []),
  ]
}

/** Everything that must not happen to a shop, in sentences; none: the month was survived. Pure. */
export function judge(observed: Observed, end: number): string[] {
  return [
    ...observed.experiences.flatMap((experience) => faultsOf(experience, observed.closed, end)),
    ...observed.experiences.flatMap(lieOf),
    ...attemptFaults(observed),
    ...lookUpFaults(observed),
    ...observed.slips.map((slip) => `slipped: ${slip}`),
  ]
}

/** A line for each label: how its messages ended, how many arrived, how long they waited. */
export function rows({ experiences }: Pick<Observed, 'experiences'>): string[][] {
  const labels = [...new Set(experiences.map(({ label }) => label))]
  return labels.map((label) => {
    const of = experiences.filter((one) => one.label === label)
    const ends = new Map<string, number>()
    for (const { status, error } of of) {
      const name = error ? `${status} (${error})` : status
      ends.set(name, (ends.get(name) ?? 0) + 1)
    }
    const waits = of.flatMap(({ sentAt, acceptedAt }) => (sentAt === null ? [] : [sentAt - acceptedAt]))
    return [
      label,
      of[0]?.who ?? '',
      String(of.length),
      [...ends].map(([name, count]) => `${count} ${name}`).join(', '),
      String(of.filter(({ arrived }) => arrived > 0).length),
      waits.length === 0 ? '–' : minutes(Math.max(...waits)),
    ]
  })
}
export const HEAD = ['messages', 'to', 'count', 'ended', 'arrived', 'longest wait']

/** Columns as wide as their widest cell. */
export function table(lines: string[][]): string {
  const width = (column: number) => Math.max(...lines.map((line) => (line[column] ?? '').length))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(width(column)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
