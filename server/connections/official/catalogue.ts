import type { ErrorDetail } from '../../contract/errors.ts'
import type { TemplateComponent, TemplateView } from '../../contract/templates.ts'
import { isoTime } from '../../lib/clock.ts'
import type { OfficialStore } from '../../store/sqlite/official.ts'
import type { TemplateCache } from '../../store/sqlite/templates.ts'
import type { OfficialAccount } from './accounts.ts'
import { callError } from './errors.ts'
import type { GraphClient } from './graph-client.ts'
import { templateEffect } from './template-events.ts'
import { templateProblems } from './template-problems.ts'
import type { Template } from './templates.ts'
import type { TemplateUpdate } from './updates.ts'

interface Known {
  template: Template
  syncedAt: number
  trouble: string | null
}

export interface CatalogueDeps {
  cache: TemplateCache
  facts: Pick<OfficialStore, 'save'>
  client: Pick<GraphClient, 'templates'>
  now: () => number
}

export type Catalogue = ReturnType<typeof createCatalogue>

/** The templates of each official sender: read from Meta now and then, so that a wrong send is told before it is made. */
export function createCatalogue({ cache, facts, client, now }: CatalogueDeps) {
  // Asked for with every send: kept in memory, read from the file at the first time.
  const bySender = new Map<number, Map<string, Known[]>>()

  function known(senderId: number): Map<string, Known[]> {
    const found = bySender.get(senderId)
    if (found !== undefined) return found
    const rows = cache.list(senderId).map(({ body, syncedAt, trouble }) => ({
      template: JSON.parse(body) as Template,
      syncedAt,
      trouble,
    }))
    const read = Map.groupBy(rows, ({ template }) => template.name)
    bySender.set(senderId, read)
    return read
  }

  const named = (senderId: number, name: string): Known[] => known(senderId).get(name) ?? []

  async function read(account: OfficialAccount, name: string | null): Promise<Template[]> {
    const outcome = await client.templates(account, name ?? undefined)
    if (outcome.kind !== 'answered') throw callError(outcome)
    // Meta's name filter also finds names that only begin alike.
    const templates = outcome.data.filter((template) => name === null || template.name === name)
    const rows = templates.map((template) => ({
      name: template.name,
      language: template.language,
      body: JSON.stringify(template),
      sendable: template.status === 'APPROVED',
    }))
    await cache.replace(account.senderId, name, rows, now())
    bySender.delete(account.senderId)
    return templates
  }

  /** Reads one template anew; what is known stays when Meta does not answer. */
  async function refresh(account: OfficialAccount, name: string): Promise<void> {
    await read(account, name).catch(() => undefined)
  }

  return {
    refresh,
    /** Reads all templates anew. @throws ApiError */
    async sync(account: OfficialAccount): Promise<Template[]> {
      const templates = await read(account, null)
      await facts.save(account.senderId, { templatesSyncedAt: now() })
      return templates
    },

    list: (senderId: number): TemplateView[] =>
      [...known(senderId).values()].flat().map(({ template, syncedAt, trouble }) => ({
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
      const languages = named(account.senderId, name)
      // A language may have been added since the last reading.
      if (languages.length > 0 && !languages.some(({ template }) => template.language === language)) {
        await refresh(account, name)
      }
      const templates = named(account.senderId, name).map(({ template }) => template)
      return templateProblems(templates, language, components)
    },

    /** What Meta called back about a template. */
    async update(account: OfficialAccount, update: TemplateUpdate): Promise<void> {
      const { status, readAgain, trouble } = templateEffect(update)
      const row = named(account.senderId, update.name).find(({ template }) => template.language === update.language)
      if (row === undefined || status === null) return refresh(account, update.name)
      await cache.change(account.senderId, {
        name: update.name,
        language: update.language,
        body: JSON.stringify({ ...row.template, status }),
        trouble,
      })
      bySender.delete(account.senderId)
      if (readAgain) await refresh(account, update.name)
    },

    /** How many templates Meta's callbacks took away. */
    troubles: (senderId: number): number =>
      [...known(senderId).values()].flat().filter(({ trouble }) => trouble !== null).length,
  }
}
