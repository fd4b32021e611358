import { z } from 'zod'
import { answer, isoTime } from './envelope.ts'
import { PAGE_TOKEN_HEADER } from './page-token.ts'

export const openSessionRequest = z.object({
  code: z.string().min(1).max(128).describe('The one-time code of the link.'),
})

export const sessionOpened = z.object({
  id: z.string(),
  page_token: z.string().describe(`Goes into the header ${PAGE_TOKEN_HEADER} of every call. It is shown only once.`),
})
export const sessionOpenedAnswer = answer(sessionOpened)

/** A browser that is logged in as the owner. */
export const sessionView = z.object({
  id: z.string(),
  /** True for the session of this call. */
  current: z.boolean(),
  address: z.string().describe('Where it was opened from.'),
  browser: z.string().nullable().describe('What the browser called itself then (User-Agent).'),
  created_at: isoTime,
  last_used_at: isoTime.describe('To the hour.'),
  expires_at: isoTime.describe('30 days after the last use.'),
})
export type SessionView = z.infer<typeof sessionView>
export const sessionsAnswer = answer(z.array(sessionView))

/** A link that opens the window once. */
export const windowLink = z.object({
  url: z.string().describe('For a browser on this PC.'),
  lan_urls: z
    .array(z.string())
    .describe('The same for a phone or another PC on the LAN; empty unless the owner allowed remote administration.'),
  expires_at: isoTime.describe('In 10 minutes.'),
})
export type WindowLink = z.infer<typeof windowLink>
export const windowLinkAnswer = answer(windowLink)
