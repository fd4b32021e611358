import type { TemplateComponent, TemplateParameters } from '../../contract/templates.ts'

export interface TemplateCall {
  /** Digits only. */
  recipient: string
  name: string
  language: string
  components: readonly TemplateComponent[]
  /** Comes back on every status as `biz_opaque_callback_data`. */
  messageId: string
}

/** Meta's request body for a template message. */
export interface TemplateMessage {
  messaging_product: 'whatsapp'
  recipient_type: 'individual'
  to: string
  type: 'template'
  template: { name: string; language: { code: string }; components?: TemplateComponent[] }
  biz_opaque_callback_data: string
}

export function templateMessage(send: TemplateCall): TemplateMessage {
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    // Without the plus Meta may put the business's own country code in front.
    to: `+${send.recipient}`,
    type: 'template',
    template: {
      name: send.name,
      language: { code: send.language },
      ...(send.components.length === 0 ? {} : { components: [...send.components] }),
    },
    biz_opaque_callback_data: send.messageId,
  }
}

/** The components as given, with the simple parameters as the body: header, body, buttons, as every client writes them. */
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
