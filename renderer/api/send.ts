import { useMutation } from '@tanstack/react-query'
import type { z } from 'zod'
import { sendAnswer, type sendRequest } from '../../server/contract/send.ts'
import { templateAnswer, type templateRequest } from '../../server/contract/templates.ts'
import { call } from './client.ts'

export const useSend = () =>
  useMutation({
    mutationFn: (body: z.input<typeof sendRequest>) => call(sendAnswer, '/send', { method: 'POST', body }),
  })

export const useSendTemplate = () =>
  useMutation({
    mutationFn: (body: z.input<typeof templateRequest>) =>
      call(templateAnswer, '/waba/send-template', { method: 'POST', body }),
  })
