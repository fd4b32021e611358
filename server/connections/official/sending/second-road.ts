import type { SecondRoad, SecondRoadTrial, SecondRoadTryRequest } from '../../../contract/second-road.ts'
import { fillVariables } from '../../../contract/templates.ts'
import { createBoundedMap } from '../../../lib/bounded-map.ts'
import { isoTime } from '../../../lib/clock.ts'
import { localMonth } from '../../../lib/local-time.ts'
import { MINUTE } from '../../../lib/time.ts'
import { afterQuietHours } from '../../../messages/gates.ts'
import { mayBecome } from '../../../messages/status.ts'
import { shortened } from '../../../messages/view.ts'
import type { Message, QueuePlace, SenderRow } from '../../../store/index.ts'
import { fieldProblem, invalidRequest } from '../../../words/errors.ts'
import { valueProblems } from '../templates/template-problems.ts'
import type { TemplateContext } from './context.ts'
import { type Fit, fitOf } from './second-road-fit.ts'

const LOOK_EVERY = MINUTE
const BATCH = 200
// Messages of one sender in one look; the rest a minute later.
const MOST_LOOKED_AT = 2000
// Texts that no rule fits need not be read again every minute.
const MOST_REMEMBERED = 20_000
/** Outcomes of attempts after which it is certain that nothing left. */
const NEVER_LEFT: readonly string[] = ['offline', 'not_sent']

/**
 * Sends texts of linked senders as templates of an official one, where they certainly did not leave
 * and cannot leave for a set time. The message stays the same: its id, its place in the log, its
 * callbacks.
 * @param isOurs true if a linked sender is this node's: several that looked at its messages would
 *   each keep a cap
 */
export function createSecondRoad(context: TemplateContext, isOurs: (senderId: number) => boolean) {
  const { store, record, background, bus, catalogue, targetOf } = context
  const { now } = context.clock
  let looking = false
  /** Since when senders have no connection. */
  const downSince = new Map<number, number>()
  /** Place at which the next look at a sender's messages goes on; absent: the first. */
  const places = new Map<number, QueuePlace>()
  /** The road for which a message was found not to fit. */
  const misfits = createBoundedMap<number, SecondRoad>(MOST_REMEMBERED)

  /**
   * States between two tries of a connection begin again each time: what counts is the last time it
   * was connected.
   */
  function follow(sender: SenderRow): void {
    const { id, kind, state, since } = sender
    if (kind !== 'linked' || state === 'connected') downSince.delete(id)
    else if (!downSince.has(id)) downSince.set(id, state === 'offline' || state === 'connecting' ? now() : since)
    if (roadOf(sender) !== null) lookLater()
  }

  function lookLater(): void {
    background.later('second roads', LOOK_EVERY, look)
  }

  /** The sender at the end of the road, if it can send now. */
  function endOf(road: SecondRoad): SenderRow | null {
    const official = store.senders.byCode(road.sender_code)
    const isReady = official?.kind === 'official' && official.state === 'connected' && !official.paused
    return isReady ? official : null
  }

  async function isStuck(sender: SenderRow, message: Message, before: number): Promise<boolean> {
    if (message.dueAt > before) return false
    const since = downSince.get(sender.id)
    if (since !== undefined) return since <= before
    // Connected, but WhatsApp lets it write to no new contact: a lock or a cap that it named, or a
    // refusal.
    const { firstContacts } = sender
    const named = firstContacts?.heldBy === 'wrong_numbers' ? null : firstContacts?.until
    const { restrictedUntil } = await store.sendingState.get(sender.id)
    if (Math.max(restrictedUntil, named ?? 0) <= now() || (message.nextAt ?? 0) <= now()) return false
    return (await store.contacts.get(sender.id, message.recipient))?.known !== true
  }

  /** `later`: an attempt is under way. */
  async function hasLeft({ seq, attempts }: Message): Promise<'no' | 'perhaps' | 'later'> {
    const outcomes = attempts === 0 ? [] : (await store.messages.attempts(seq)).map(({ outcome }) => outcome)
    if (outcomes.some((outcome) => outcome !== null && !NEVER_LEFT.includes(outcome))) return 'perhaps'
    return outcomes.includes(null) ? 'later' : 'no'
  }

  /** The category of a template, and faults that keep a send of it from working. */
  async function checked(official: SenderRow, { name, language, parameters, components }: Fit) {
    const { category, problems } = await targetOf(official).check(name, language, components)
    return { category, problems: [...valueProblems(parameters), ...problems] }
  }

  /** False too if it is marketing and Meta takes none to this person now. */
  async function isSendable(official: SenderRow, recipient: string, fit: Fit): Promise<boolean> {
    const { category, problems } = await checked(official, fit)
    return problems.length === 0 && (await targetOf(official).heldUntil(recipient, category)) === null
  }

  /** Resolves with whether the message took the road. */
  async function take(message: Message, road: SecondRoad, official: SenderRow): Promise<boolean> {
    const { seq, body, file, recipient } = message
    if (body === null || file !== null || misfits.get(seq) === road) return false
    const fit = fitOf(road.rules, body)
    const left = await hasLeft(message)
    if (fit === null || left === 'perhaps') {
      misfits.set(seq, road)
      return false
    }
    // A template may be approved later, and Meta may take marketing to this person again.
    if (left === 'later' || !(await isSendable(official, recipient, fit))) return false
    const { name, language, components } = fit
    const template = { name, language, components }
    const changed = await record.change({ seq }, (current) => {
      // An attempt that began meanwhile, or an owner who cancelled, comes first.
      const isSame = current.attempts === message.attempts && current.status === message.status
      const isWaiting = current.nextAt !== null && current.laneId === message.laneId
      // Meanwhile the owner may also have paused or deleted the sender at its end.
      if (endOf(road)?.id !== official.id) return null
      if (!isSame || !isWaiting || !(current.status === 'queued' || mayBecome(current.status, 'queued'))) return null
      const at = now()
      return {
        status: 'queued',
        at,
        nextAt: at,
        road: { channel: 'template', laneId: official.id, template, providerMessageId: null },
        also: [{ kind: 'second_road', month: localMonth(at), by: 1 }],
      }
    })
    return changed !== undefined
  }

  async function lookAfter(sender: SenderRow, road: SecondRoad): Promise<void> {
    follow(sender)
    const official = endOf(road)
    // The owner decides first whether these messages leave from another number that was linked.
    if (official === null || sender.paused || sender.previousPhone !== null || context.allPaused()) return
    if (afterQuietHours(sender.settings.quiet_hours, now()) > now()) return
    let left = road.monthly_cap - (await store.figures.secondRoads(sender.id, localMonth(now())))
    let place = places.get(sender.id) ?? { nextAt: 0, seq: 0 }
    for (let seen = 0; left > 0 && seen < MOST_LOOKED_AT; seen += BATCH) {
      const rows = await store.messages.waitingAfter(sender.id, place, BATCH)
      for (const message of rows) {
        if (left === 0) break
        place = { nextAt: message.nextAt ?? 0, seq: message.seq }
        const before = now() - road.after_minutes * MINUTE
        if ((await isStuck(sender, message, before)) && (await take(message, road, official))) left -= 1
      }
      if (rows.length < BATCH) return void places.delete(sender.id)
    }
    places.set(sender.id, place)
  }

  /** One at a time: two would take more than the cap. */
  async function look(): Promise<void> {
    const senders = store.senders.list()
    if (senders.some((sender) => roadOf(sender) !== null)) lookLater()
    if (looking) return
    looking = true
    try {
      const failures: unknown[] = []
      for (const sender of senders) {
        const road = roadOf(sender)
        if (road === null || !isOurs(sender.id)) continue
        // One whose official sender cannot be used keeps no other one from its road.
        await lookAfter(sender, road).catch((error: unknown) => failures.push(error))
      }
      if (failures.length > 0) throw failures[0]
    } finally {
      looking = false
    }
  }

  async function trialOf(message: Message, road: SecondRoad, official: SenderRow): Promise<SecondRoadTrial> {
    const { id, body, createdAt } = message
    const fit = fitOf(road.rules, body ?? '')
    const frame = { id, created_at: isoTime(createdAt), message: shortened(body ?? '') }
    if (fit === null) {
      return { ...frame, rule: null, template_name: null, language: null, preview: null, problems: [] }
    }
    const { problems } = await checked(official, fit)
    return {
      ...frame,
      rule: fit.rule,
      template_name: fit.name,
      language: fit.language,
      preview: await previewOf(official, fit),
      problems: problems.map(({ field, message: text }) => `${field} ${text}`),
    }
  }

  async function previewOf({ id }: SenderRow, { name, language, parameters }: Fit): Promise<string | null> {
    const template = await catalogue.find(id, name, language)
    const text = template?.components.find(({ type }) => type.toUpperCase() === 'BODY')?.text
    if (text === undefined) return null
    const values = Array.isArray(parameters) ? parameters.map((value, i) => [i + 1, value]) : Object.entries(parameters)
    return fillVariables(text, Object.fromEntries(values.map(([name_, value]) => [String(name_), String(value)])))
  }

  return {
    /** Looks after every sender from now on. */
    start(): void {
      for (const sender of store.senders.list()) follow(sender)
    },
    /** Follows connections; returns a function that ends it. */
    listen: (): (() => void) =>
      bus.on('sender', ({ code }) => {
        const sender = store.senders.byCode(code)
        if (sender !== undefined) follow(sender)
      }),
    /** Tries the last texts of a sender. @throws ApiError `invalid_request` */
    async try(sender: SenderRow, { road: given, limit }: SecondRoadTryRequest): Promise<SecondRoadTrial[]> {
      const road = given ?? sender.settings.second_road
      const official = road === null ? undefined : store.senders.byCode(road.sender_code)
      if (sender.kind !== 'linked') throw invalidRequest([fieldProblem('road', 'only_linked')])
      if (road === null) throw invalidRequest([fieldProblem('road', 'required')])
      if (official?.kind !== 'official') throw invalidRequest([fieldProblem('road.sender_code', 'not_official')])
      const past = await store.messages.list({ senderId: sender.id, limit })
      const texts = past.filter(({ body, file }) => body !== null && file === null)
      return Promise.all(texts.map((message) => trialOf(message, road, official)))
    },
  }
}

/** The road of a sender that has one now. Pure. */
const roadOf = ({ kind, settings }: SenderRow): SecondRoad | null =>
  kind === 'linked' && settings.second_road?.enabled ? settings.second_road : null
