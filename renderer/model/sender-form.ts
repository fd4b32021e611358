import type { SenderSettings, SenderView } from '../../server/contract/senders.ts'

/** The settings of a sender as inputs hold them: an empty input is '' instead of null. */
export interface SenderFormValues {
  name: string
  minSeconds: number | string
  maxSeconds: number | string
  dailyCap: number | string
  quiet: boolean
  quietFrom: string
  quietTo: string
  countryCode: string
}

export const formOfSender = (sender: SenderView): SenderFormValues => ({
  name: sender.name,
  minSeconds: sender.pacing.min_seconds,
  maxSeconds: sender.pacing.max_seconds,
  dailyCap: sender.daily_cap ?? '',
  quiet: sender.quiet_hours !== null,
  quietFrom: sender.quiet_hours?.from ?? '22:00',
  quietTo: sender.quiet_hours?.to ?? '07:00',
  countryCode: sender.country_code ?? '',
})

export function senderOfForm(values: SenderFormValues): SenderSettings {
  const min = Number(values.minSeconds)
  return {
    name: values.name,
    pacing: { min_seconds: min, max_seconds: Math.max(min, Number(values.maxSeconds)) },
    daily_cap: values.dailyCap === '' ? null : Number(values.dailyCap),
    quiet_hours: values.quiet ? { from: values.quietFrom, to: values.quietTo } : null,
    country_code: values.countryCode.replace(/\D/g, '') || null,
  }
}
