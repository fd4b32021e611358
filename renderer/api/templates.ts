import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import { syncedAnswer, type TemplateView, templatesAnswer } from '../../server/contract/templates.ts'
import { call, queryString } from './client.ts'

export type Template = TemplateView

const keyOf = (senderCode: string) => ['templates', senderCode] as const

/** The templates of an official sender; not asked for a sender that has none. */
export const useTemplates = (senderCode: string, enabled: boolean) =>
  useQuery({
    queryKey: keyOf(senderCode),
    queryFn: ({ signal }) => everyTemplate(senderCode, signal),
    enabled,
  })

async function everyTemplate(sender_code: string, signal: AbortSignal): Promise<Template[]> {
  const all: Template[] = []
  let cursor: string | null = null
  do {
    const path = `/waba/templates${queryString({ sender_code, limit: 200, cursor: cursor ?? undefined })}`
    const page: z.infer<typeof templatesAnswer> = await call(templatesAnswer, path, { signal })
    all.push(...page.data)
    cursor = page.next_cursor
  } while (cursor !== null)
  return all
}

export function useSyncTemplates(senderCode: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () =>
      call(syncedAnswer, `/api/senders/${encodeURIComponent(senderCode)}/templates/sync`, { method: 'POST' }),
    onSettled: () => client.invalidateQueries({ queryKey: keyOf(senderCode) }),
  })
}
