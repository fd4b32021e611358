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
 * Meta counts these questions by the hour, and a program may send a thousand messages in a language
 * that is not there.
 */
const ASKED_AGAIN_AFTER = 30 * SECOND
const MOST_ASKED = 1000
/** Ours: by then Meta answers again, and its list shows what its callbacks reported. */
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

/** Facts about a template before it is sent. */
export interface TemplateCheck {
  /** In Meta's capitals; null where it is not known. */
  category: string | null
  /** Faults that keep a send of it from working; none if the template is not known here. */
  problems: ErrorDetail[]
}

/** Templates of Meta's list. */
interface Listed {
  templates: Template[]
  /** Number of those that could not be read. */
  unreadable: number
}

interface CatalogueContext extends OfficialContext {
  /**
   * By sender and name. Asked for with every send: kept in memory, read from the store at the first
   * time and after another node wrote.
   */
  known: Map<number, Promise<Map<string, Known[]>>>
  /** That of the store, of which they are. */
  revision: number
  asked: BoundedMap<string, { at: number; answer: Promise<void> }>
}

export type Catalogue = ReturnType<typeof createCatalogue>

/**
 * The templates of each official sender: read from Meta now and then, so that a wrong send is
 * refused before it is made.
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
      // Callbacks come in any order, and their times are whole seconds: the list has the last word.
      syncLater(context, account)
      await apply(context, account, update)
    },

    /** As it was last read; undefined when it is not known here. */
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
  // A failure is its caller's; the next one reads again.
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
 * From Meta: all templates of a sender, or (with `name`) all languages of one.
 * @throws ApiError
 */
async function fetchFrom(context: CatalogueContext, account: OfficialAccount, name: string | null): Promise<Listed> {
  const outcome = await context.client.templates(account, name ?? undefined)
  if (outcome.kind !== 'answered') throw callError(outcome)
  // Meta's name filter also finds names that only begin alike.
  const templates = outcome.data
    .filter((template) => template !== null)
    .filter((template) => name === null || template.name === name)
    .map(keptOf)
  const unreadable = outcome.data.filter((template) => template === null).length
  const before = await knownOf(context, account.senderId)
  const rows = templates.map((template) => {
    const { name, language, category = null, status } = template
    const row = before.get(name)?.find((each) => each.template.language === language)
    // A rating that Meta's callback brought holds while the list says nothing of it.
    const quality_score = template.quality_score ?? row?.template.quality_score
    return { name, language, body: { ...template, quality_score }, category, sendable: status === 'APPROVED' }
  })
  // A missing template may be one that could not be read, so keep it.
  await context.store.templates.replace(account.senderId, name, rows, context.clock.now(), unreadable === 0)
  context.known.delete(account.senderId)
  return { templates, unreadable }
}

/** Reads one template from Meta; what is known stays when Meta does not answer. */
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
  // A language may have been added since the last reading.
  if (languages.length > 0 && !languages.some(isChosen)) {
    await askFor(context, account, { name, language })
    languages = await readLanguages()
  }
  return {
    category: languages.find(isChosen)?.category?.toUpperCase() ?? null,
    problems: templateProblems(languages, language, components),
  }
}

/**
 * Asks for a further language of a template, once for all that wait for it, and not with every
 * wrong send.
 */
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

/** Meta's report of one template in one language. */
interface Report {
  fields: Partial<Template>
  trouble?: string | null
  coming?: ComingCategory | null
  readAgain?: boolean
}

/** Changes what is known of a template; one that is not known is read from Meta. */
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

/** Reads all templates in ten minutes, and until Meta answers. */
function syncLater(context: CatalogueContext, { senderId, code }: OfficialAccount): void {
  context.background.later(`templates of ${code}`, READ_AGAIN_AFTER, async () => {
    // Its owner may have entered another token meanwhile.
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
    // It comes so late that Meta's list was read after it, and may say otherwise.
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

/** After these a template cannot be sent until Meta says otherwise. */
const BLOCKING = [
  ...['PAUSED', 'DISABLED', 'REJECTED', 'PENDING', 'IN_APPEAL', 'ARCHIVED', 'PENDING_DELETION', 'DELETED'],
]
/**
 * After these it can be sent again. `UNARCHIVED` is not one: it restores whatever the status was
 * before.
 */
const RELEASING = ['APPROVED', 'REINSTATED', 'UNPAUSED']

/** Meta's words in a `message_template_status_update`. */
interface TemplateNews {
  event: string
  reason: string | null
  explanation: string | null
}

interface TemplateEffect {
  /** The status that the event leaves behind; `null`: only Meta's list knows. */
  status: string | null
  /** It has to be read again: it may have been edited, or the event is unknown. */
  readAgain: boolean
  /** Why it cannot be sent, as Meta explains it; `null` when it can, or only its list knows. */
  trouble: string | null
}

/** Effect of a `message_template_status_update` on the templates that are known here. */
export function templateEffect(update: TemplateNews): TemplateEffect {
  const event = update.event.toUpperCase()
  if (BLOCKING.includes(event)) return { status: event, readAgain: false, trouble: troubleOf(event, update) }
  return { status: RELEASING.includes(event) ? 'APPROVED' : null, readAgain: true, trouble: null }
}

function troubleOf(event: string, { reason, explanation }: TemplateNews): string {
  return `${event}${reason === null ? '' : ` (${reason})`}${explanation === null ? '' : `: ${explanation}`}`
}
