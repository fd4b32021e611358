import type { TemplateOptions } from '../../../contract/messages.ts'
import { isUserId } from '../../../contract/phone.ts'
import type { TemplateComponent, TemplateParameters } from '../../../contract/templates.ts'

/** A template with its values, and who gets it. */
export interface AddressedTemplate extends TemplateOptions {
  /** Digits only, or Meta's ID of the person. */
  recipient: string
  name: string
  language: string
  components: readonly TemplateComponent[]
}

export interface TemplateCall extends AddressedTemplate {
  /** Comes back on every status as `biz_opaque_callback_data`. */
  messageId: string
}

/** Meta's request body for a template message, to a number or to Meta's ID of a person. */
export interface TemplateMessage extends TemplateOptions {
  messaging_product: 'whatsapp'
  recipient_type: 'individual'
  to?: string
  recipient?: string
  type: 'template'
  template: { name: string; language: { code: string }; components?: TemplateComponent[] }
  biz_opaque_callback_data: string
}

/** Those that were given. Pure. */
export const templateOptions = ({ context, product_policy, message_activity_sharing }: TemplateOptions) => ({
  ...(context === undefined ? {} : { context }),
  ...(product_policy === undefined ? {} : { product_policy }),
  ...(message_activity_sharing === undefined ? {} : { message_activity_sharing }),
})

/** True if it goes by Meta's Marketing Messages API, which alone knows these members. */
export const isForMarketingApi = ({ product_policy, message_activity_sharing }: TemplateOptions): boolean =>
  product_policy !== undefined || message_activity_sharing !== undefined

export function templateMessage(send: TemplateCall): TemplateMessage {
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    // Without the plus Meta may put the business's own country code in front.
    ...(isUserId(send.recipient) ? { recipient: send.recipient } : { to: `+${send.recipient}` }),
    ...templateOptions(send),
    type: 'template',
    template: {
      name: send.name,
      language: { code: send.language },
      ...(send.components.length === 0 ? {} : { components: [...send.components] }),
    },
    biz_opaque_callback_data: send.messageId,
  }
}

/**
 * The components as given, with the simple parameters as the body: header, body, buttons, as every
 * client writes them.
 */
export function providerComponents(
  parameters: TemplateParameters = [],
  components: readonly TemplateComponent[] = [],
): TemplateComponent[] {
  const texts = Array.isArray(parameters)
    ? parameters.map((value) => ({ type: 'text', text: String(value) }))
    : Object.entries(parameters).map(([name, value]) => ({ type: 'text', parameter_name: name, text: String(value) }))
  if (texts.length === 0) return [...components]
  const afterHeader = components.findLastIndex(({ type }) => type.toLowerCase() === 'header') + 1
  return components.toSpliced(afterHeader, 0, { type: 'body', parameters: texts })
}
