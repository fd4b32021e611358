import { z } from 'zod'
import type { TemplateOptions } from '../../../contract/messages.ts'
import { isUserId } from '../../../contract/phone.ts'
import { type TemplateComponent, type TemplateParameters, variablesOf } from '../../../contract/templates.ts'

const text = z.string().optional().catch(undefined)

const definedButton = z.looseObject({ type: z.string(), url: text })

const definedComponent = z.looseObject({
  type: z.string(),
  format: text,
  text,
  buttons: z.array(definedButton).optional().catch(undefined),
})

type DefinedComponent = z.infer<typeof definedComponent>

const definedCard = z.looseObject({ components: z.array(definedComponent).catch([]) })

const definedPart = definedComponent.extend({
  cards: z.array(definedCard).optional().catch(undefined),
  limited_time_offer: z
    .looseObject({ has_expiration: z.boolean().catch(false) })
    .optional()
    .catch(undefined),
})

/** A template in Meta's list. Members that Kurir does not use are kept unchecked. */
export const template = z.looseObject({
  id: text,
  name: z.string(),
  language: z.string(),
  status: z.string(),
  category: text,
  parameter_format: text,
  rejected_reason: text,
  /** `GREEN`, `YELLOW`, `RED`, `UNKNOWN`. */
  quality_score: z.looseObject({ score: text }).optional().catch(undefined),
  components: z.array(definedPart).catch([]),
})
export type Template = z.infer<typeof template>

/** Null for a template that Kurir cannot read, so that one bad template does not hide the rest. */
export const listedTemplate = template.nullable().catch(null)

/** Characters of a template as JSON. Our own limit: ten cards need less than a tenth. */
const LONGEST = 100 * 1024
/** Meta's names have up to 512 characters, its other words far fewer. */
const LONGEST_WORD = 512

/**
 * Returns a template as Kurir stores it. Of a far too large template only the name and state stay,
 * and only Meta checks sends of it.
 */
export function keptOf(template: Template): Template {
  if (JSON.stringify(template).length <= LONGEST) return template
  const { id, name, language, status, category } = template
  const short = (word: string): string => word.slice(0, LONGEST_WORD)
  return {
    ...{ name: short(name), language: short(language), status: short(status) },
    ...(id === undefined ? {} : { id: short(id) }),
    ...(category === undefined ? {} : { category: short(category) }),
    components: [],
    rejected_reason:
      'It has more than 100 KB: Kurir does not read it and checks no message with it. Shorten it at Meta.',
  }
}

/** A button that does not work without a parameter. */
export interface ButtonNeed {
  index: number
  subType: 'url' | 'copy_code' | 'mpm'
  parameter: 'text' | 'coupon_code' | 'action'
}

/** Parts that a send of a template, or of one card of its carousel, has to bring. */
export interface PartNeeds {
  /** Variables of the body. Null: unknown, so the body is not checked. */
  body: readonly string[] | null
  headerText: readonly string[]
  /** `IMAGE`, `VIDEO`, `DOCUMENT`, `LOCATION`, …; null for a text header or no header. */
  headerMedia: string | null
  buttons: readonly ButtonNeed[]
}

export interface Needs extends PartNeeds {
  /** Cards of the carousel, in order; empty without a carousel. */
  cards: readonly PartNeeds[]
  /** True if a limited-time offer needs the time at which it ends. */
  offerEnds: boolean
}

const found = new WeakMap<Template, Needs>()

/** Returns the parts that a send has to bring. Cached, because every send asks for them. */
export function needsOf(template: Template): Needs {
  const known = found.get(template)
  if (known !== undefined) return known
  const needs = readNeeds(template)
  found.set(template, needs)
  return needs
}

function readNeeds({ components, category }: Template): Needs {
  const own = partNeeds(components)
  const find = (type: string) => components.find((component) => component.type.toUpperCase() === type)
  // An authentication template may be listed without its text; its one variable is the code.
  const isCode = category?.toUpperCase() === 'AUTHENTICATION' && find('BODY') !== undefined
  return {
    ...own,
    body: own.body ?? (isCode ? ['1'] : null),
    cards: find('CAROUSEL')?.cards?.map((card) => partNeeds(card.components)) ?? [],
    offerEnds: find('LIMITED_TIME_OFFER')?.limited_time_offer?.has_expiration ?? false,
  }
}

function partNeeds(components: readonly DefinedComponent[]): PartNeeds {
  const find = (type: string) => components.find((component) => component.type.toUpperCase() === type)
  const header = find('HEADER')
  const bodyText = find('BODY')?.text
  const format = header?.format?.toUpperCase() ?? 'TEXT'
  return {
    body: bodyText === undefined ? null : variablesOf(bodyText),
    headerText: format === 'TEXT' ? variablesOf(header?.text ?? '') : [],
    headerMedia: format === 'TEXT' ? null : format,
    buttons: (find('BUTTONS')?.buttons ?? []).flatMap((button, index) => buttonNeed(button, index) ?? []),
  }
}

function buttonNeed({ type, url }: z.infer<typeof definedButton>, index: number): ButtonNeed | null {
  switch (type.toUpperCase()) {
    case 'URL':
      return variablesOf(url ?? '').length === 0 ? null : { index, subType: 'url', parameter: 'text' }
    // Buttons for one-time codes take the code, whether they copy it or fill it in.
    case 'OTP':
      return { index, subType: 'url', parameter: 'text' }
    case 'COPY_CODE':
      return { index, subType: 'copy_code', parameter: 'coupon_code' }
    case 'MPM':
      return { index, subType: 'mpm', parameter: 'action' }
    default:
      return null
  }
}

export interface AddressedTemplate extends TemplateOptions {
  /** Digits only, or Meta's id of the person. */
  recipient: string
  name: string
  language: string
  components: readonly TemplateComponent[]
}

interface TemplateCall extends AddressedTemplate {
  /** Meta returns it in every status as `biz_opaque_callback_data`. */
  messageId: string
}

/** Body of Meta's call for a template message; `recipient` is Meta's id of a person. */
export interface TemplateMessage extends TemplateOptions {
  messaging_product: 'whatsapp'
  recipient_type: 'individual'
  to?: string
  recipient?: string
  type: 'template'
  template: { name: string; language: { code: string }; components?: TemplateComponent[] }
  biz_opaque_callback_data: string
}

/** Returns the options that are given. */
export const templateOptions = ({ context, product_policy, message_activity_sharing }: TemplateOptions) => ({
  ...(context === undefined ? {} : { context }),
  ...(product_policy === undefined ? {} : { product_policy }),
  ...(message_activity_sharing === undefined ? {} : { message_activity_sharing }),
})

/** True for a message with members that only Meta's Marketing Messages API knows. */
export const isForMarketingApi = ({ product_policy, message_activity_sharing }: TemplateOptions): boolean =>
  product_policy !== undefined || message_activity_sharing !== undefined

export function templateMessage(send: TemplateCall): TemplateMessage {
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    // Without the plus Meta may put the country code of the business before the number.
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
 * Returns the components with the simple parameters inserted as the body, after the header and
 * before the buttons, in the order that all clients use.
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
