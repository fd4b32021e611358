import type { ErrorDetail } from '../../contract/errors.ts'
import type { TemplateComponent, TemplateView } from '../../contract/templates.ts'
import { isoTime } from '../../lib/clock.ts'
import type { OfficialFactsStore, TemplateStore } from '../../store/index.ts'
import type { OfficialAccount } from './accounts.ts'
import { callError } from './errors.ts'
import type { GraphClient } from './graph-client.ts'
import { templateEffect } from './template-events.ts'
import { templateProblems } from './template-problems.ts'
import { type Template, template as templateSchema } from './templates.ts'
import type { TemplateUpdate } from './updates.ts'

interface Known {
  template: Template
  syncedAt: number
  trouble: string | null
}

type ByName = Map<string, Known[]>

export interface CatalogueDeps {
  templates: TemplateStore
  facts: Pick<OfficialFactsStore, 'save'>
  client: Pick<GraphClient, 'templates'>
  now: () => number
}

export type Catalogue = ReturnType<typeof createCatalogue>

/** The templates of each official sender: read from Meta now and then, so that a wrong send is refused before it is made. */
export function createCatalogue({ templates: store, facts, client, now }: CatalogueDeps) {
  // Asked for with every send: kept in memory, read from the store at the first time.
  const bySender = new Map<number, Promise<ByName>>()

  async function read(senderId: number): Promise<ByName> {
    const rows = await store.list(senderId)
    const all = rows.map(({ body, syncedAt, trouble }) => ({ template: templateSchema.parse(body), syncedAt, trouble }))
    return Map.groupBy(all, ({ template }) => template.name)
  }

  function known(senderId: number): Promise<ByName> {
    const found = bySender.get(senderId)
    if (found !== undefined) return found
    const reading = read(senderId)
    bySender.set(senderId, reading)
    // A failure is its caller's; the next one reads again.
    reading.catch(() => bySender.delete(senderId))
    return reading
  }

  const all = async (senderId: number): Promise<Known[]> => [...(await known(senderId)).values()].flat()
  const named = async (senderId: number, name: string): Promise<Known[]> => (await known(senderId)).get(name) ?? []

  /** From Meta: all templates of a sender, or (with `name`) all languages of one. @throws ApiError */
  async function fetchFrom(account: OfficialAccount, name: string | null): Promise<Template[]> {
    const outcome = await client.templates(account, name ?? undefined)
    if (outcome.kind !== 'answered') throw callError(outcome)
    // Meta's name filter also finds names that only begin alike.
    const templates = outcome.data.filter((template) => name === null || template.name === name)
    const rows = templates.map((template) => ({
      name: template.name,
      language: template.language,
      body: template,
      sendable: template.status === 'APPROVED',
    }))
    await store.replace(account.senderId, name, rows, now())
    bySender.delete(account.senderId)
    return templates
  }

  /** Reads one template from Meta; what is known stays when Meta does not answer. */
  async function refresh(account: OfficialAccount, name: string): Promise<void> {
    await fetchFrom(account, name).catch(() => undefined)
  }

  return {
    refresh,
    /** Reads all templates from Meta. @throws ApiError */
    async sync(account: OfficialAccount): Promise<Template[]> {
      const templates = await fetchFrom(account, null)
      await facts.save(account.senderId, { templatesSyncedAt: now() })
      return templates
    },

    list: async (senderId: number): Promise<TemplateView[]> =>
      (await all(senderId)).map(({ template, syncedAt, trouble }) => ({
        name: template.name,
        language: template.language,
        status: template.status,
        category: template.category ?? null,
        parameter_format: template.parameter_format ?? null,
        components: template.components,
        rejected_reason: template.rejected_reason ?? null,
        trouble,
        synced_at: isoTime(syncedAt),
      })),

    /** What keeps a send of this template from working; nothing when the template is not known here. */
    async problems(
      account: OfficialAccount,
      name: string,
      language: string,
      components: readonly TemplateComponent[],
    ): Promise<ErrorDetail[]> {
      const languages = await named(account.senderId, name)
      // A language may have been added since the last reading.
      if (languages.length > 0 && !languages.some(({ template }) => template.language === language)) {
        await refresh(account, name)
      }
      const templates = (await named(account.senderId, name)).map(({ template }) => template)
      return templateProblems(templates, language, components)
    },

    /** What Meta called back about a template. */
    async update(account: OfficialAccount, update: TemplateUpdate): Promise<void> {
      const { status, readAgain, trouble } = templateEffect(update)
      const languages = await named(account.senderId, update.name)
      const row = languages.find(({ template }) => template.language === update.language)
      if (row === undefined || status === null) return refresh(account, update.name)
      await store.change(account.senderId, {
        name: update.name,
        language: update.language,
        body: { ...row.template, status },
        trouble,
      })
      bySender.delete(account.senderId)
      if (readAgain) await refresh(account, update.name)
    },

    /** How many templates Meta's callbacks took away. */
    troubles: async (senderId: number): Promise<number> =>
      (await all(senderId)).filter(({ trouble }) => trouble !== null).length,
  }
}
