import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { z } from 'zod'
import { answer } from '../../server/contract/envelope.ts'
import { call, queryString } from './client.ts'

const text = z.string().optional()

/** A template as Meta lists it: only what a preview needs is looked at. */
const template = z.object({
  name: z.string(),
  language: z.string(),
  status: z.string(),
  components: z
    .array(
      z.object({
        type: z.string(),
        format: text,
        text,
        buttons: z.array(z.object({ type: z.string(), text })).optional(),
      }),
    )
    .default([]),
})
export type Template = z.infer<typeof template>

export interface TemplateVariable {
  parameter_name?: string
  text?: string
}

const templatesAnswer = answer(z.array(template))
const keyOf = (senderCode: string) => ['templates', senderCode] as const

/** The templates of an official sender; not asked for a sender that has none. */
export const useTemplates = (senderCode: string, enabled: boolean) =>
  useQuery({
    queryKey: keyOf(senderCode),
    queryFn: async ({ signal }) =>
      (
        await call(templatesAnswer, `/waba/templates${queryString({ sender_code: senderCode, limit: 200 })}`, {
          signal,
        })
      ).data,
    enabled,
  })

export function useSyncTemplates(senderCode: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () =>
      call(answer(z.unknown()), `/api/senders/${encodeURIComponent(senderCode)}/templates/sync`, { method: 'POST' }),
    onSettled: () => client.invalidateQueries({ queryKey: keyOf(senderCode) }),
  })
}
