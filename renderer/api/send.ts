import { useMutation } from '@tanstack/react-query'
import type { z } from 'zod'
import { sendAnswer, type sendRequest } from '../../server/contract/send.ts'
import { templateAnswer, type templateRequest } from '../../server/contract/templates.ts'
import { call } from './client.ts'
import { useOnce } from './once.ts'

export function useSend() {
  const once = useOnce()
  return useMutation({
    mutationFn: (body: z.input<typeof sendRequest>) =>
      once(body, (onceKey) => call(sendAnswer, '/send', { method: 'POST', body, onceKey })),
  })
}

export function useSendTemplate() {
  const once = useOnce()
  return useMutation({
    mutationFn: (body: z.input<typeof templateRequest>) =>
      once(body, (onceKey) => call(templateAnswer, '/waba/send-template', { method: 'POST', body, onceKey })),
  })
}
