import { z } from 'zod'
import { looseText } from '../../../contract/fields.ts'

/**
 * The members that the panels of resellers take ("MPWA": zymzz-id/MPWA, its API pages). Everything
 * is text in an address, a form or JSON.
 */
const common = {
  api_key: looseText('The API key; a header may hold it as well.').optional(),
  token: looseText('Another name of `api_key`.').optional(),
  sender: looseText('Changes nothing: the key says which number sends.', '6281234567890').optional(),
  number: looseText('Numbers, or ids of groups (`…@g.us`), with `|` or commas between them.', '6281234567890'),
  footer: looseText('Put below the text, in italics.', 'Toko Ani').optional(),
}

export const panelMessageRequest = z.object({ ...common, message: looseText('The text.', 'Pesanan siap') })

/** Older panels have kinds of documents as types. */
const MEDIA_TYPES = ['image', 'video', 'audio', 'document', 'file', 'pdf', 'doc', 'docx', 'xls', 'xlsx', 'zip'] as const

export const panelMediaRequest = z.object({
  ...common,
  media_type: z.enum(MEDIA_TYPES).describe('What it is sent as follows from the file itself.'),
  url: looseText('Address of the file.', 'https://shop.example/inv-1001.pdf'),
  caption: looseText('The text below it.', 'Nota').optional(),
})

export const panelDevicesRequest = z.object({
  api_key: common.api_key,
  token: common.token,
  number: looseText('Only this sender, by its number or code.', '6281234567890').optional(),
})

export const panelDevices = z.object({
  status: z.literal(true),
  info: z.array(
    z.object({
      body: z.string().describe('Its number; its code where it has none.'),
      webhook: z.null(),
      status: z.enum(['Connected', 'Disconnect']),
    }),
  ),
})

export const panelSent = z.object({
  status: z.literal(true),
  msg: z.string(),
  id: z.array(z.string()).describe('Ids of the messages, which panels do not name.'),
})
export const panelFailure = z.object({ status: z.literal(false), msg: z.string() })
