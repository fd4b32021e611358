import type { ErrorDetail } from '../../../contract/errors.ts'
import type { TemplateComponent, TemplateView } from '../../../contract/templates.ts'
import { createBoundedMap } from '../../../lib/bounded-map.ts'
import { isoTime, isoTimeOrNull } from '../../../lib/clock.ts'
import { MINUTE, SECOND } from '../../../lib/time.ts'
import type { ComingCategory } from '../../../store/index.ts'
import type { OfficialAccount } from '../graph/accounts.ts'
import type { OfficialContext } from '../graph/context.ts'
import { callError } from '../graph/errors.ts'
import { keptOf, type Template, template as templateSchema } from '../graph/templates.ts'
import type { TemplateCategoryUpdate, TemplateQualityUpdate, TemplateUpdate } from '../inbox/updates.ts'
import { templateProblems } from './template-problems.ts'

/**
 * Meta counts these questions by the hour, and a program may send a thousand messages in a language
 * that is not there.
 */
const ASKED_AGAIN_AFTER = 30 * SECOND
const MOST_ASKED = 1000
/** When Meta is asked again about a template that it could not be asked about. */
const TRY_AGAIN_AFTER = 10 * MINUTE

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

type ByName = Map<string, Known[]>

export type Catalogue = ReturnType<typeof createCatalogue>

/**
 * The templates of each official sender: read from Meta now and then, so that a wrong send is
 * refused before it is made.
 */
export function createCatalogue({ store, client, background, clock }: OfficialContext) {
  const { templates, officialFacts: facts } = store
  const { now } = clock
  // Asked for with every send: kept in memory, read from the store at the first time and after
  // another node wrote.
  const bySender = new Map<number, Promise<ByName>>()
  let revision = templates.revision()
  const asked = createBoundedMap<string, { at: number; answer: Promise<void> }>(MOST_ASKED)

  async function read(senderId: number): Promise<ByName> {
    const rows = await templates.list(senderId)
    const all = rows.map(({ body, ...row }) => ({ template: templateSchema.parse(body), ...row }))
    return Map.groupBy(all, ({ template }) => template.name)
  }

  function known(senderId: number): Promise<ByName> {
    if (templates.revision() !== revision) bySender.clear()
    revision = templates.revision()
    const found = bySender.get(senderId)
    if (found !== undefined) return found
    const reading = read(senderId)
    bySender.set(senderId, reading)
    // A failure is its caller's; the next one reads again.
    reading.catch(() => bySender.delete(senderId))
    return reading
  }

  const all = async (senderId: number): Promise<Known[]> => [...(await known(senderId)).values()].flat()
  const named = (senderId: number, name: string): Promise<Known[]> =>
    known(senderId).then((byName) => byName.get(name) ?? [])

  /**
   * From Meta: all templates of a sender, or (with `name`) all languages of one.
   * @throws ApiError
   */
  async function fetchFrom(account: OfficialAccount, name: string | null): Promise<Template[]> {
    const outcome = await client.templates(account, name ?? undefined)
    if (outcome.kind !== 'answered') throw callError(outcome)
    // Meta's name filter also finds names that only begin alike.
    const found = outcome.data.filter((template) => name === null || template.name === name).map(keptOf)
    const before = await known(account.senderId)
    const rows = found.map((template) => {
      const { name, language, category = null, status } = template
      const row = before.get(name)?.find((each) => each.template.language === language)
      // A rating that Meta's callback brought holds while the list says nothing of it.
      const quality_score = template.quality_score ?? row?.template.quality_score
      return { name, language, body: { ...template, quality_score }, category, sendable: status === 'APPROVED' }
    })
    await templates.replace(account.senderId, name, rows, now())
    bySender.delete(account.senderId)
    return found
  }

  /** Reads one template from Meta; what is known stays when Meta does not answer. */
  async function refresh(account: OfficialAccount, name: string): Promise<void> {
    await fetchFrom(account, name).catch(() => {
      background.later(`template ${account.code} ${name}`, TRY_AGAIN_AFTER, () => refresh(account, name))
    })
  }

  /**
   * Asks for a further language of a template, once for all that wait for it, and not with every
   * wrong send.
   */
  async function askFor(account: OfficialAccount, name: string, language: string): Promise<void> {
    const key = `${account.senderId} ${name} ${language}`
    const known = asked.get(key)
    const isNew = known === undefined || Math.abs(now() - known.at) >= ASKED_AGAIN_AFTER
    const { answer } = isNew ? { answer: refresh(account, name) } : known
    if (isNew) asked.set(key, { at: now(), answer })
    await answer
  }

  const find = async (senderId: number, { name, language }: Place): Promise<Known | undefined> =>
    (await named(senderId, name)).find(({ template }) => template.language === language)

  /**
   * Changes what is known of one template in one language; one that is not known is read from Meta.
   */
  async function change(
    account: OfficialAccount,
    { name, language }: Place,
    decide: (row: Known) => Partial<Known>,
  ): Promise<boolean> {
    const row = await find(account.senderId, { name, language })
    if (row === undefined) {
      await refresh(account, name)
      return false
    }
    const { template, trouble, coming } = { ...row, ...decide(row) }
    await templates.change(account.senderId, { name, language, body: template, trouble, coming })
    bySender.delete(account.senderId)
    return true
  }

  /** True where Meta's report comes so late that its list was read after it, and says otherwise. */
  async function isOverBy(account: OfficialAccount, update: TemplateUpdate, status: string): Promise<boolean> {
    const { syncedAt = 0 } = (await find(account.senderId, update)) ?? {}
    // Meta's times are whole seconds.
    if (update.occurredAt === null || syncedAt < update.occurredAt + SECOND) return false
    await refresh(account, update.name)
    return (await find(account.senderId, update))?.template.status !== status
  }

  return {
    /** Reads all templates from Meta. @throws ApiError */
    async sync(account: OfficialAccount): Promise<Template[]> {
      const found = await fetchFrom(account, null)
      await facts.change(account.senderId, () => ({ templatesSyncedAt: now() }))
      return found
    },

    list: async (senderId: number): Promise<TemplateView[]> =>
      (await all(senderId)).map(({ template, syncedAt, trouble, coming }) => ({
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
      })),

    async check(
      account: OfficialAccount,
      name: string,
      language: string,
      components: readonly TemplateComponent[],
    ): Promise<TemplateCheck> {
      let languages = await named(account.senderId, name)
      // A language may have been added since the last reading.
      if (languages.length > 0 && !languages.some(({ template }) => template.language === language)) {
        await askFor(account, name, language)
        languages = await named(account.senderId, name)
      }
      const inLanguages = languages.map(({ template }) => template)
      const chosen = inLanguages.find((template) => template.language === language)
      return {
        category: chosen?.category?.toUpperCase() ?? null,
        problems: templateProblems(inLanguages, language, components),
      }
    },

    /** Applies Meta's callback about a template. */
    async update(account: OfficialAccount, update: TemplateUpdate): Promise<void> {
      const { status, readAgain, trouble } = templateEffect(update)
      if (status === null) return refresh(account, update.name)
      if (await isOverBy(account, update, status)) return
      const known = await change(account, update, ({ template }) => ({ template: { ...template, status }, trouble }))
      if (known && readAgain) await refresh(account, update.name)
    },

    /** A template was edited at Meta. */
    edited: refresh,

    /** Meta rated how customers take a template. */
    async rated(account: OfficialAccount, update: TemplateQualityUpdate): Promise<void> {
      await change(account, update, ({ template }) => ({
        template: { ...template, quality_score: { score: update.quality } },
      }))
    },

    /** Meta changed the category of a template, or will. */
    async categorised(
      account: OfficialAccount,
      { category, coming, ...update }: TemplateCategoryUpdate,
    ): Promise<void> {
      await change(account, update, ({ template }) => ({ template: { ...template, category }, coming }))
    },

    /** As it was last read; undefined when it is not known here. */
    find: async (senderId: number, name: string, language: string): Promise<Template | undefined> =>
      (await find(senderId, { name, language }))?.template,

    /** Those that customers take badly, by Meta's rating. */
    ofLowQuality: async (senderId: number): Promise<string[]> =>
      (await all(senderId)).flatMap(({ template: { name, language, quality_score } }) =>
        quality_score?.score === 'RED' ? [`${name} (${language})`] : [],
      ),

    /** How many Meta will bill under another category. */
    recategorised: async (senderId: number): Promise<number> =>
      (await all(senderId)).filter(({ coming }) => coming !== null).length,

    /** How many templates Meta's callbacks took away. */
    troubles: async (senderId: number): Promise<number> =>
      (await all(senderId)).filter(({ trouble }) => trouble !== null).length,
  }
}

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
  /**
   * True if the template has to be read again: it may have been edited, or the event is unknown.
   */
  readAgain: boolean
  /**
   * Why it cannot be sent, as Meta explains it; `null` when it can, or when only Meta's list knows.
   */
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
