import type { SecondRoad, SecondRoadTrial, SecondRoadTryRequest } from '../../../contract/second-road.ts'
import { fillVariables, TEMPLATE_VARIABLE, type TemplateComponent, variablesOf } from '../../../contract/templates.ts'
import { createBoundedMap } from '../../../lib/bounded-map.ts'
import { isoTime, MINUTE } from '../../../lib/clock.ts'
import { localMonth } from '../../../lib/local-time.ts'
import { afterQuietHours } from '../../../messages/gates.ts'
import { mayBecome } from '../../../messages/status.ts'
import { shortened } from '../../../messages/view.ts'
import { countSecondRoads, type Message, type QueuePlace, type SenderRow } from '../../../store/index.ts'
import { fieldProblem, invalidRequest } from '../../../words/errors.ts'
import { providerComponents } from '../graph/templates.ts'
import { valueProblems } from '../templates/template-problems.ts'
import { checkTemplate } from '../templates/template-target.ts'
import type { TemplateContext } from './context.ts'

const LOOK_EVERY = MINUTE
const BATCH = 200
// Messages of one sender in one look. The next look goes on after them.
const MOST_LOOKED_AT = 2000
// Messages that never fit their road, so that they are not checked again every minute.
const MOST_REMEMBERED = 20_000
/** Outcomes of attempts that certainly sent nothing. */
const NEVER_LEFT: readonly string[] = ['offline', 'not_sent']

/**
 * Sends texts of linked senders as templates of an official sender, if they were certainly not sent
 * and cannot be sent for a set time. The message keeps its id, its place in the log and its
 * callbacks.
 * @param isOurs returns true if this node works for the linked sender. Otherwise each node would
 *   count the monthly cap for itself
 */
export function createSecondRoad(context: TemplateContext, isOurs: (senderId: number) => boolean) {
  const { store, background } = context
  const { now } = context.clock
  let looking = false
  /** Time since which each sender has no connection. */
  const downSince = new Map<number, number>()
  /** Place where the next look at a sender's messages goes on; absent: at the first message. */
  const places = new Map<number, QueuePlace>()
  /** Road that a message can never take, by the message's `seq`. */
  const misfits = createBoundedMap<number, SecondRoad>(MOST_REMEMBERED)

  /**
   * Notes when a sender lost its connection, and begins to look at its messages if it has a road.
   * Tries to connect change the state again and again, so only the last connected time counts.
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

  /** Only one look runs at a time, because two could exceed the cap. */
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
        // A sender whose official sender cannot be used must not stop the others.
        await lookAfter(sender, road).catch((error: unknown) => failures.push(error))
      }
      if (failures.length > 0) throw failures[0]
    } finally {
      looking = false
    }
  }

  async function lookAfter(sender: SenderRow, road: SecondRoad): Promise<void> {
    follow(sender)
    const official = endOf(context, road)
    // After another number was linked, the owner first decides whether it sends these messages.
    if (official === null || sender.paused || sender.previousPhone !== null || context.allPaused()) return
    if (afterQuietHours(sender.settings.quiet_hours, now()) > now()) return
    let left = road.monthly_cap - (await countSecondRoads(store.figures, sender.id, localMonth(now())))
    let place = places.get(sender.id) ?? { nextAt: 0, seq: 0 }
    for (let seen = 0; left > 0 && seen < MOST_LOOKED_AT; seen += BATCH) {
      const rows = await store.queues.waitingAfter(sender.id, place, BATCH)
      for (const message of rows) {
        if (left === 0) break
        place = { nextAt: message.nextAt ?? 0, seq: message.seq }
        if (misfits.get(message.seq) === road || !(await isStuck(sender, message, road))) continue
        const taken = await take(context, message, road, official)
        if (taken === 'never') misfits.set(message.seq, road)
        if (taken === 'yes') left -= 1
      }
      if (rows.length < BATCH) return void places.delete(sender.id)
    }
    places.set(sender.id, place)
  }

  async function isStuck(sender: SenderRow, message: Message, road: SecondRoad): Promise<boolean> {
    const before = now() - road.after_minutes * MINUTE
    const since = downSince.get(sender.id)
    if (message.dueAt > before) return false
    return since === undefined ? isHeldFirstContact(context, sender, message) : since <= before
  }

  return { follow }
}

/** Returns the enabled road of a linked sender, else null. */
const roadOf = ({ kind, settings }: SenderRow): SecondRoad | null =>
  kind === 'linked' && settings.second_road?.enabled ? settings.second_road : null

/** Returns the official sender of the road if it can send, else null. */
function endOf({ store }: TemplateContext, road: SecondRoad): SenderRow | null {
  const official = store.senders.byCode(road.sender_code)
  const isReady = official?.kind === 'official' && official.state === 'connected' && !official.paused
  return isReady ? official : null
}

/**
 * True if the message is for a new contact and WhatsApp does not let the connected sender write to
 * new contacts, after a lock or cap that WhatsApp named or after a refusal.
 */
async function isHeldFirstContact(
  { store, clock: { now } }: TemplateContext,
  { id, firstContacts }: SenderRow,
  { recipient, nextAt }: Message,
): Promise<boolean> {
  const named = firstContacts?.heldBy === 'wrong_numbers' ? null : firstContacts?.until
  const { restrictedUntil } = await store.sendingState.get(id)
  if (Math.max(restrictedUntil, named ?? 0) <= now() || (nextAt ?? 0) <= now()) return false
  return (await store.contacts.get(id, recipient))?.known !== true
}

/** Moves a message to the official sender's lane. Resolves with whether it was moved. */
async function take(
  context: TemplateContext,
  message: Message,
  road: SecondRoad,
  official: SenderRow,
): Promise<'yes' | 'not_now' | 'never'> {
  const { seq, body, file, recipient } = message
  const fit = body === null || file !== null ? null : fitOf(road.rules, body)
  if (fit === null) return 'never'
  const attempts = message.attempts === 0 ? [] : await context.store.messages.attempts(seq)
  if (attempts.some(({ outcome }) => outcome !== null && !NEVER_LEFT.includes(outcome))) return 'never'
  if (attempts.some(({ outcome }) => outcome === null)) return 'not_now'
  const { name, language, components, parameters } = fit
  const target = context.targetOf(official)
  const { category, problems } = await checkTemplate(target, { ...fit, recipient }, valueProblems(parameters))
  // Later the template may be approved, or Meta may accept marketing to this person again.
  if (problems.length > 0 || (await target.heldUntil(recipient, category)) !== null) return 'not_now'
  const template = { name, language, components }
  const changed = await context.record.change({ seq }, (current) => {
    // The owner may have paused or deleted one of the two senders meanwhile.
    const sender = context.store.senders.get(message.senderId)
    if (sender === undefined || sender.paused || roadOf(sender) === null) return null
    if (endOf(context, road)?.id !== official.id || !stillWaits(message, current)) return null
    const at = context.clock.now()
    return {
      status: 'queued',
      at,
      nextAt: at,
      road: { channel: 'template', laneId: official.id, template, providerMessageId: null },
      also: [{ kind: 'second_road', month: localMonth(at), by: 1 }],
    }
  })
  return changed === undefined ? 'not_now' : 'yes'
}

/** False if an attempt began meanwhile, or the owner cancelled the message. */
function stillWaits({ status, attempts, laneId }: Message, now: Message): boolean {
  const isSame = now.status === status && now.attempts === attempts && now.laneId === laneId
  return isSame && now.nextAt !== null && (status === 'queued' || mayBecome(status, 'queued'))
}

type Parameters = string[] | Record<string, string>

interface Fit {
  /** Index of the rule, from 0. */
  rule: number
  name: string
  language: string
  parameters: Parameters
  components: TemplateComponent[]
}

/** Meta refuses line breaks and runs of spaces in values of variables. */
const flat = (text: string): string => text.trim().replace(/\s+/g, ' ')

/** Returns the template of the first rule whose pattern fits the whole text; null if none fits. */
export function fitOf(rules: SecondRoad['rules'], text: string): Fit | null {
  const wanted = flat(text)
  for (const [rule, { pattern, template_name: name, language, parameters }] of rules.entries()) {
    const values = readPattern(flat(pattern), wanted)
    if (values === null) continue
    const given = filled(parameters ?? variablesOf(pattern), values)
    return { rule, name, language, parameters: given, components: providerComponents(given) }
  }
  return null
}

function filled(names: Parameters, values: Map<string, string>): Parameters {
  if (Array.isArray(names)) return names.map((name) => values.get(name) ?? '')
  return Object.fromEntries(Object.entries(names).map(([own, name]) => [own, values.get(name) ?? '']))
}

/**
 * Returns the values of a pattern's variables in a text; null if the text does not match. Each
 * variable except the last takes as little text as possible. Needs linear time for any text.
 */
export function readPattern(pattern: string, text: string): Map<string, string> | null {
  const names = [...pattern.matchAll(TEMPLATE_VARIABLE)].map(([, name = '']) => name)
  const [head = '', ...literals] = pattern.replaceAll(TEMPLATE_VARIABLE, '\0').split('\0')
  if (names.length === 0) return pattern === text ? new Map() : null
  if (!text.startsWith(head)) return null
  const values = new Map<string, string>()
  let at = head.length
  for (const [index, name] of names.entries()) {
    const literal = literals[index] ?? ''
    const isLast = index === names.length - 1
    const end = isLast ? text.length - literal.length : text.indexOf(literal, at + 1)
    if (end <= at || (isLast && !text.endsWith(literal))) return null
    const value = text.slice(at, end)
    if (values.has(name) && values.get(name) !== value) return null
    values.set(name, value)
    at = end + literal.length
  }
  return values
}

/**
 * Shows what the last texts of a sender would become on its second road, or on a given one, and
 * sends nothing.
 * @throws ApiError `invalid_request`
 */
export async function tryRoad(
  context: TemplateContext,
  sender: SenderRow,
  { road: given, limit }: SecondRoadTryRequest,
): Promise<SecondRoadTrial[]> {
  const { messages, senders } = context.store
  const road = given ?? sender.settings.second_road
  if (sender.kind !== 'linked') throw invalidRequest([fieldProblem('road', 'only_linked')])
  if (road === null) throw invalidRequest([fieldProblem('road', 'required')])
  const official = senders.byCode(road.sender_code)
  if (official?.kind !== 'official') throw invalidRequest([fieldProblem('road.sender_code', 'not_official')])
  const past = await messages.list({ senderId: sender.id, limit })
  const texts = past.filter(({ body, file }) => body !== null && file === null)
  return Promise.all(texts.map((message) => trialOf(context, message, road, official)))
}

async function trialOf(
  context: TemplateContext,
  { id, body, recipient, createdAt }: Message,
  road: SecondRoad,
  official: SenderRow,
): Promise<SecondRoadTrial> {
  const text = body ?? ''
  const frame = { id, created_at: isoTime(createdAt), message: shortened(text) }
  const fit = fitOf(road.rules, text)
  if (fit === null) return { ...frame, rule: null, template_name: null, language: null, preview: null, problems: [] }
  const target = context.targetOf(official)
  const { problems } = await checkTemplate(target, { ...fit, recipient }, valueProblems(fit.parameters))
  return {
    ...frame,
    rule: fit.rule,
    template_name: fit.name,
    language: fit.language,
    preview: await previewOf(context, official, fit),
    problems: problems.map(({ field, message }) => `${field} ${message}`),
  }
}

async function previewOf({ catalogue }: TemplateContext, { id }: SenderRow, fit: Fit): Promise<string | null> {
  const template = await catalogue.find(id, fit.name, fit.language)
  const text = template?.components.find(({ type }) => type.toUpperCase() === 'BODY')?.text
  if (text === undefined) return null
  const { parameters } = fit
  const byName = Array.isArray(parameters)
    ? Object.fromEntries(parameters.map((value, at) => [at + 1, value]))
    : parameters
  return fillVariables(text, byName)
}
