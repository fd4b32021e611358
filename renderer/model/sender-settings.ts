import type { SenderSettings, SenderView } from '../../server/contract/senders.ts'

/** Returns the settings of a sender that the owner can change, by the names of the contract. */
export const settingsOf = (sender: SenderView): SenderSettings => ({
  name: sender.name,
  pacing: sender.pacing,
  daily_cap: sender.daily_cap,
  quiet_hours: sender.quiet_hours,
  country_code: sender.country_code,
  second_road: sender.second_road,
})
