import { ApiError } from '../../contract/errors.ts'
import { senderOfTexts } from '../../senders/pick.ts'
import type { MetaStore, SenderStore } from '../../store/index.ts'
import { type PrinterSettings, printerSettings } from './contract.ts'

export type SettingsChange = { [K in keyof PrinterSettings]?: PrinterSettings[K] | undefined }

export function readSettings(meta: MetaStore): PrinterSettings {
  const parsed = printerSettings.safeParse(JSON.parse(meta.get('printer') ?? '{}'))
  return parsed.success ? parsed.data : printerSettings.parse({})
}

/** @throws ApiError `conflict`, `invalid_request` */
export async function saveSettings(
  { meta, senders }: { meta: MetaStore; senders: SenderStore },
  change: SettingsChange,
): Promise<PrinterSettings> {
  const before = readSettings(meta)
  const given = Object.entries(change).filter(([, value]) => value !== undefined)
  const next = printerSettings.parse({ ...before, ...Object.fromEntries(given) })
  if (next.sending && (next.number_rule === null || next.sender_code === null))
    throw new ApiError('conflict', 'Mark the number on a print, and choose a sender, before prints are sent.')
  if (next.sender_code !== null && next.sender_code !== before.sender_code)
    senderOfTexts(senders, next.sender_code, 'sender_code')
  await meta.save('printer', JSON.stringify(next))
  return next
}
