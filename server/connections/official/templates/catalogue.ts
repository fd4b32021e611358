import type { ErrorDetail } from '../../../contract/errors.ts'
import type { TemplateComponent, TemplateView } from '../../../contract/templates.ts'
import { type BoundedMap, createBoundedMap } from '../../../lib/bounded-map.ts'
import { isoTime, isoTimeOrNull, MINUTE, SECOND } from '../../../lib/clock.ts'
import type { ComingCategory } from '../../../store/index.ts'
import type { OfficialAccount } from '../graph/accounts.ts'
import type { OfficialContext } from '../graph/context.ts'
import { callError } from '../graph/errors.ts'
import { keptOf, type Template, template as templateSchema } from '../graph/templates.ts'
import type { AnyTemplateUpdate, TemplateUpdate } from '../inbox/updates.ts'
import { templateProblems } from './template-problems.ts'

/**
 * Least time between two calls for a missing language. Meta counts the calls per hour, and a
 * program may send a thousand messages in a language that does not exist.
 */
const ASKED_AGAIN_AFTER = 30 * SECOND
const MOST_ASKED = 1000
/** Our choice: by then Meta answers again, and its list shows what its callbacks reported. */
const READ_AGAIN_AFTER = 10 * MINUTE

interface Place {
  name: string
  language: string
}

interface Known {
  template: Template
  syncedAt: number
  trouble: string | null
  coming: ComingCategory | null
}

export interface TemplateCheck {
  /** In capitals, as Meta writes it; null if unknown. */
  category: string | null
  /** Faults that would make the send fail; empty if Kurir does not know the template. */
  problems: ErrorDetail[]
}

interface Listed {
  templates: Template[]
  /** Number of templates in Meta's list that Kurir could not read. */
  unreadable: number
}

interface CatalogueContext extends OfficialContext {
  /**
   * Cache for sends, by sender and template name. Filled from the store at first use and again
   * after another node wrote.
   */
  known: Map<number, Promise<Map<string, Known[]>>>
  /** Revision of the store that `known` was read at. */
  revision: number
  asked: BoundedMap<string, { at: number; answer: Promise<void> }>
}

export type Catalogue = ReturnType<typeof createCatalogue>

/**
 * Keeps a copy of each official sender's templates at Meta, so that Kurir can refuse wrong sends
 * itself.
 */
export function createCatalogue(official: OfficialContext) {
  const revision = official.store.templates.revision()
  const context: CatalogueContext = { ...official, revision, known: new Map(), asked: createBoundedMap(MOST_ASKED) }
  return {
    /** Reads all templates from Meta. @throws ApiError */
    sync: (account: OfficialAccount) => sync(context, account),

    list: async (senderId: number): Promise<TemplateView[]> =>
      [...(await knownOf(context, senderId)).values()].flat().map(viewOf),

    check: (account: OfficialAccount, name: string, language: string, components: readonly TemplateComponent[]) =>
      check(context, account, { name, language }, components),

    /** Applies Meta's callback about a template. */
    async report(account: OfficialAccount, update: AnyTemplateUpdate): Promise<void> {
      // Read the list later, because callbacks come in any order with times of whole seconds.
      syncLater(context, account)
      await apply(context, account, update)
    },

    /** Resolves with the template as it was last read; undefined if it is unknown. */
    find: async (senderId: number, name: string, language: string): Promise<Template | undefined> =>
      (await find(context, senderId, { name, language }))?.template,
  }
}

function knownOf(context: CatalogueContext, senderId: number): Promise<Map<string, Known[]>> {
  const { store, known } = context
  if (store.templates.revision() !== context.revision) known.clear()
  context.revision = store.templates.revision()
  const found = known.get(senderId)
  if (found !== undefined) return found
  const reading = read(context, senderId)
  known.set(senderId, reading)
  // The caller handles the error. The next call reads again.
  reading.catch(() => known.delete(senderId))
  return reading
}

async function read({ store }: CatalogueContext, senderId: number): Promise<Map<string, Known[]>> {
  const rows = await store.templates.list(senderId)
  const all = rows.map(({ body, ...row }) => ({ template: templateSchema.parse(body), ...row }))
  return Map.groupBy(all, ({ template }) => template.name)
}

const named = async (context: CatalogueContext, senderId: number, name: string): Promise<Known[]> =>
  (await knownOf(context, senderId)).get(name) ?? []

const find = async (context: CatalogueContext, senderId: number, { name, language }: Place) =>
  (await named(context, senderId, name)).find(({ template }) => template.language === language)

/**
 * Reads all templates of a sender from Meta, or with `name` all languages of one, and stores them.
 * @throws ApiError
 */
async function fetchFrom(context: CatalogueContext, account: OfficialAccount, name: string | null): Promise<Listed> {
  const outcome = await context.client.templates(account, name ?? undefined)
  if (outcome.kind !== 'answered') throw callError(outcome)
  // Meta's name filter also returns longer names that begin with the name.
  const templates = outcome.data
    .filter((template) => template !== null)
    .filter((template) => name === null || template.name === name)
    .map(keptOf)
  const unreadable = outcome.data.filter((template) => template === null).length
  const before = await knownOf(context, account.senderId)
  const rows = templates.map((template) => {
    const { name, language, category = null, status } = template
    const row = before.get(name)?.find((each) => each.template.language === language)
    // Keep the rating of Meta's callback if the list has none.
    const quality_score = template.quality_score ?? row?.template.quality_score
    return { name, language, body: { ...template, quality_score }, category, sendable: status === 'APPROVED' }
  })
  // Keep missing templates if Kurir could not read some, which may be the missing ones.
  await context.store.templates.replace(account.senderId, name, rows, context.clock.now(), unreadable === 0)
  context.known.delete(account.senderId)
  return { templates, unreadable }
}

/** Reads one template from Meta. If Meta does not answer, keeps the copy and reads all later. */
async function refresh(context: CatalogueContext, account: OfficialAccount, name: string): Promise<void> {
  await fetchFrom(context, account, name).catch(() => syncLater(context, account))
}

async function check(
  context: CatalogueContext,
  account: OfficialAccount,
  { name, language }: Place,
  components: readonly TemplateComponent[],
): Promise<TemplateCheck> {
  const readLanguages = async () => (await named(context, account.senderId, name)).map(({ template }) => template)
  const isChosen = (template: Template) => template.language === language
  let languages = await readLanguages()
  // The language may have been added at Meta since the last read.
  if (languages.length > 0 && !languages.some(isChosen)) {
    await askFor(context, account, { name, language })
    languages = await readLanguages()
  }
  return {
    category: languages.find(isChosen)?.category?.toUpperCase() ?? null,
    problems: templateProblems(languages, language, components),
  }
}

/** Reads a template again for a missing language, once for all sends within ASKED_AGAIN_AFTER. */
async function askFor(context: CatalogueContext, account: OfficialAccount, { name, language }: Place): Promise<void> {
  const { asked, clock } = context
  const key = `${account.senderId} ${name} ${language}`
  let last = asked.get(key)
  if (last === undefined || Math.abs(clock.now() - last.at) >= ASKED_AGAIN_AFTER) {
    last = { at: clock.now(), answer: refresh(context, account, name) }
    asked.set(key, last)
  }
  await last.answer
}

/** Changes after Meta's report of a template in one language. */
interface Report {
  fields: Partial<Template>
  trouble?: string | null
  coming?: ComingCategory | null
  readAgain?: boolean
}

/** Changes the copy of a template. Reads an unknown template from Meta. */
async function change(
  context: CatalogueContext,
  account: OfficialAccount,
  { name, language }: Place,
  { fields, readAgain = false, ...notes }: Report,
): Promise<void> {
  const row = await find(context, account.senderId, { name, language })
  if (row !== undefined) {
    const { template, trouble, coming } = { ...row, ...notes }
    const body = { ...template, ...fields }
    await context.store.templates.change(account.senderId, { name, language, body, trouble, coming })
    context.known.delete(account.senderId)
  }
  if (row === undefined || readAgain) await refresh(context, account, name)
}

async function sync(context: CatalogueContext, account: OfficialAccount): Promise<Listed> {
  const found = await fetchFrom(context, account, null)
  await context.store.officialFacts.change(account.senderId, () => ({ templatesSyncedAt: context.clock.now() }))
  return found
}

/** Reads all templates in ten minutes, and again until Meta answers. */
function syncLater(context: CatalogueContext, { senderId, code }: OfficialAccount): void {
  context.background.later(`templates of ${code}`, READ_AGAIN_AFTER, async () => {
    // The owner may have entered another token meanwhile.
    const account = context.accounts.list().find((each) => each.senderId === senderId)
    if (account !== undefined) await sync(context, account).catch(() => syncLater(context, account))
  })
}

async function apply(context: CatalogueContext, account: OfficialAccount, update: AnyTemplateUpdate): Promise<void> {
  switch (update.kind) {
    case 'template':
      return applyUpdate(context, account, update)
    case 'template_edit':
      return refresh(context, account, update.name)
    case 'template_quality':
      return change(context, account, update, { fields: { quality_score: { score: update.quality } } })
    case 'template_category':
      return change(context, account, update, { fields: { category: update.category }, coming: update.coming })
  }
}

async function applyUpdate(context: CatalogueContext, account: OfficialAccount, update: TemplateUpdate): Promise<void> {
  const { status, ...effect } = templateEffect(update)
  if (status === null) return refresh(context, account, update.name)
  const { syncedAt = 0 } = (await find(context, account.senderId, update)) ?? {}
  // Meta's times are whole seconds.
  if (update.occurredAt !== null && syncedAt >= update.occurredAt + SECOND) {
    // The report is older than the last read of Meta's list, which may have another status.
    await refresh(context, account, update.name)
    if ((await find(context, account.senderId, update))?.template.status !== status) return
  }
  await change(context, account, update, { ...effect, fields: { status } })
}

const viewOf = ({ template, syncedAt, trouble, coming }: Known): TemplateView => ({
  name: template.name,
  language: template.language,
  status: template.status,
  category: template.category ?? null,
  parameter_format: template.parameter_format ?? null,
  components: template.components,
  rejected_reason: template.rejected_reason ?? null,
  trouble,
  quality: template.quality_score?.score ?? null,
  coming_category: coming && { category: coming.category, at: isoTimeOrNull(coming.at) },
  synced_at: isoTime(syncedAt),
})

/** Events after which a template cannot be sent until Meta says otherwise. */
const BLOCKING = [
  ...['PAUSED', 'DISABLED', 'REJECTED', 'PENDING', 'IN_APPEAL', 'ARCHIVED', 'PENDING_DELETION', 'DELETED'],
]
/**
 * Events after which a template can be sent again. Not `UNARCHIVED`, which restores the earlier
 * status, whatever that was.
 */
const RELEASING = ['APPROVED', 'REINSTATED', 'UNPAUSED']

/** From a `message_template_status_update`. */
interface TemplateNews {
  event: string
  reason: string | null
  explanation: string | null
}

interface TemplateEffect {
  /** Status after the event; null if only Meta's list shows it. */
  status: string | null
  /** True if the template may have been edited or the event is unknown. */
  readAgain: boolean
  /** Meta's reason why the template cannot be sent; null if it can, or only the list shows it. */
  trouble: string | null
}

/** Returns the effect of a `message_template_status_update` on the copy. */
export function templateEffect(update: TemplateNews): TemplateEffect {
  const event = update.event.toUpperCase()
  if (BLOCKING.includes(event)) return { status: event, readAgain: false, trouble: troubleOf(event, update) }
  return { status: RELEASING.includes(event) ? 'APPROVED' : null, readAgain: true, trouble: null }
}

function troubleOf(event: string, { reason, explanation }: TemplateNews): string {
  return `${event}${reason === null ? '' : ` (${reason})`}${explanation === null ? '' : `: ${explanation}`}`
}
