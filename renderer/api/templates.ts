import { useQueries, useQuery } from '@tanstack/react-query'
import type { z } from 'zod'
import { syncedAnswer, type TemplateView, templatesAnswer } from '../../server/contract/templates.ts'
import { call, queryString } from './client.ts'
import { queryKeys } from './query-keys.ts'
import { useChange } from './use-change.ts'

export type Template = TemplateView

const PAGE = 200

const templatesQuery = (senderCode: string) => ({
  queryKey: queryKeys.templatesOf(senderCode),
  queryFn: ({ signal }: { signal: AbortSignal }) => everyTemplate(senderCode, signal),
})

/** Templates of an official sender. Pass `enabled: false` for senders that have none. */
export const useTemplates = (senderCode: string, enabled: boolean) =>
  useQuery({ ...templatesQuery(senderCode), enabled })

/** Templates of several official senders by sender code. The list is empty until it was read. */
export const useTemplatesOf = (senderCodes: string[]): ReadonlyMap<string, Template[]> =>
  useQueries({
    queries: senderCodes.map(templatesQuery),
    combine: (results) => new Map(senderCodes.map((code, index) => [code, results[index]?.data ?? []])),
  })

async function everyTemplate(sender_code: string, signal: AbortSignal): Promise<Template[]> {
  const all: Template[] = []
  let cursor: string | null = null
  do {
    const path = `/waba/templates${queryString({ sender_code, limit: PAGE, cursor: cursor ?? undefined })}`
    const page: z.infer<typeof templatesAnswer> = await call(templatesAnswer, path, { signal })
    all.push(...page.data)
    cursor = page.next_cursor
  } while (cursor !== null)
  return all
}

export const useSyncTemplates = (senderCode: string) =>
  useChange('sender', () =>
    call(syncedAnswer, `/api/senders/${encodeURIComponent(senderCode)}/templates/sync`, { method: 'POST' }),
  )
