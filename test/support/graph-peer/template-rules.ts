import type { TemplateRow } from './answers.ts'
import { type Fault, metaError } from './faults.ts'

/** Checks that Meta makes before it accepts a template message. */

type Members = { readonly [member: string]: unknown }

const membersOf = (value: unknown): Members => (typeof value === 'object' && value !== null ? (value as Members) : {})
const listOf = (value: unknown): Members[] => (Array.isArray(value) ? value.map(membersOf) : [])
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const kindOf = (component: Members): string => textOf(component.type).toUpperCase()

const COMPONENTS = ['HEADER', 'BODY', 'BUTTON', 'CAROUSEL', 'LIMITED_TIME_OFFER', 'ORDER_STATUS']
const LONGEST_BODY = 1024
const LONGEST_CODE = 15

/** Returns the fault of a template message; null: it is accepted. */
export function templateFault(rows: readonly TemplateRow[], template: unknown): Fault | null {
  const { name, language, components = [] } = membersOf(template)
  const { code } = membersOf(language)
  if (textOf(name) === '') return metaError(100, { message: "(#100) The parameter template['name'] is required." })
  if (textOf(code) === '') return metaError(100, { message: "(#100) The parameter template['language'] is required." })
  const row = rows.find((each) => each.name === name && each.language === code)
  const missing = `template name (${name}) does not exist in ${code}`
  if (row === undefined) return metaError(132001, { details: missing })
  if (row.status === 'PAUSED') return metaError(132015)
  if (row.status === 'DISABLED') return metaError(132016)
  if (row.status !== 'APPROVED') return metaError(132001, { details: missing })
  if (!Array.isArray(components))
    return metaError(100, { message: '(#100) Param template[components] must be an array.' })
  const sent = listOf(components)
  const strange = sent.find((component) => !COMPONENTS.includes(kindOf(component)))
  if (strange !== undefined) {
    return metaError(131009, { details: `template['components'] type must be one of {${COMPONENTS.join(', ')}}` })
  }
  const defined = listOf(row.components)
  return (
    valuesFault(sent) ??
    partsFault(row, defined, sent) ??
    carouselFault(row, defined, sent) ??
    offerFault(defined, sent) ??
    codeFault(row, sent)
  )
}

/**
 * Refuses a value that is empty or has a line break, a tab or more than four consecutive spaces.
 */
function valuesFault(sent: readonly Members[]): Fault | null {
  for (const component of sent) {
    for (const parameter of listOf(component.parameters)) {
      if (parameter.type !== 'text') continue
      if (textOf(parameter.text) === '') {
        return metaError(131008, { details: `Parameter of type text is missing text value` })
      }
      if (kindOf(component) !== 'BUTTON' && /[\n\r\t]| {5}/.test(textOf(parameter.text))) {
        return metaError(132018, {
          details: 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces',
        })
      }
    }
    for (const card of listOf(component.cards)) {
      const fault = valuesFault(listOf(card.components))
      if (fault !== null) return fault
    }
  }
  return null
}

/** Checks header, body and buttons of a template or of one carousel card. */
function partsFault(row: TemplateRow, defined: readonly Members[], sent: readonly Members[]): Fault | null {
  const find = (list: readonly Members[], kind: string) => list.find((component) => kindOf(component) === kind)
  return (
    headerFault(find(defined, 'HEADER'), find(sent, 'HEADER')) ??
    bodyFault(row, find(defined, 'BODY'), find(sent, 'BODY')) ??
    buttonsFault(listOf(find(defined, 'BUTTONS')?.buttons), sent)
  )
}

function headerFault(defined: Members | undefined, sent: Members | undefined): Fault | null {
  const given = listOf(sent?.parameters)
  const format = textOf(defined?.format).toUpperCase() || 'TEXT'
  if (format === 'TEXT') return countFault('header', variablesOf(textOf(defined?.text)).length, given.length)
  const received = given[0] === undefined ? 'UNKNOWN' : textOf(given[0].type).toUpperCase()
  if (received !== format) {
    return metaError(132012, { details: `header: Format mismatch, expected ${format}, received ${received}` })
  }
  const { id, link } = membersOf(given[0]?.[format.toLowerCase()])
  const isMedia = ['IMAGE', 'VIDEO', 'DOCUMENT'].includes(format)
  if (!isMedia || textOf(id) !== '' || textOf(link) !== '') return null
  return metaError(131008, { details: `Parameter of type ${format.toLowerCase()} is missing id or link` })
}

function bodyFault(row: TemplateRow, defined: Members | undefined, sent: Members | undefined): Fault | null {
  const given = listOf(sent?.parameters)
  // An authentication template may be listed without text; its only variable is the code.
  const isCode = row.category === 'AUTHENTICATION' && textOf(defined?.text) === ''
  const variables = isCode ? ['1'] : variablesOf(textOf(defined?.text))
  if (row.parameter_format === 'NAMED') {
    if (given.some((parameter) => textOf(parameter.parameter_name) === '')) {
      return metaError(100, { message: '(#100) Invalid parameter: Parameter name is missing or empty' })
    }
    const unknown = given.find((parameter) => !variables.includes(textOf(parameter.parameter_name)))
    if (unknown !== undefined) {
      return metaError(132000, { details: `body: no variable is named ${textOf(unknown.parameter_name)}` })
    }
  }
  const fault = countFault('body', variables.length, given.length)
  if (fault !== null) return fault
  const length = given.reduce((sum, { text }) => sum + textOf(text).length, textOf(defined?.text).length)
  return length > LONGEST_BODY ? metaError(132005, { details: 'body: translated text too long' }) : null
}

function buttonsFault(defined: readonly Members[], sent: readonly Members[]): Fault | null {
  const given = sent.filter((component) => kindOf(component) === 'BUTTON')
  for (const [index, button] of defined.entries()) {
    const needed = neededBy(button)
    if (needed === null) continue
    const component = given.find((each) => String(each.index) === String(index))
    const [parameter] = listOf(component?.parameters)
    if (textOf(component?.sub_type).toLowerCase() !== needed.subType || parameter === undefined) {
      const details = `buttons: Button at index ${index} of type ${needed.name} requires a parameter`
      return metaError(131008, { details })
    }
    if (parameter.type !== needed.parameter) {
      const details = `buttons: Button at index ${index}: expected ${needed.parameter}, received ${parameter.type}`
      return metaError(132012, { details })
    }
    if (needed.parameter === 'coupon_code' && !/^[A-Za-z0-9]{1,20}$/.test(textOf(parameter.coupon_code))) {
      return metaError(131009, { details: `buttons: Button at index ${index}: coupon_code is not valid` })
    }
  }
  return null
}

function neededBy(button: Members): { name: string; subType: string; parameter: string } | null {
  switch (kindOf(button)) {
    case 'URL':
      return variablesOf(textOf(button.url)).length === 0 ? null : { name: 'Url', subType: 'url', parameter: 'text' }
    case 'OTP':
      return { name: 'Url', subType: 'url', parameter: 'text' }
    case 'COPY_CODE':
      return { name: 'CopyCode', subType: 'copy_code', parameter: 'coupon_code' }
    case 'MPM':
      return { name: 'Mpm', subType: 'mpm', parameter: 'action' }
    default:
      return null
  }
}

function carouselFault(row: TemplateRow, defined: readonly Members[], sent: readonly Members[]): Fault | null {
  const wanted = listOf(defined.find((component) => kindOf(component) === 'CAROUSEL')?.cards)
  const given = listOf(sent.find((component) => kindOf(component) === 'CAROUSEL')?.cards)
  if (wanted.length !== given.length) {
    const details = `carousel: expected ${wanted.length} cards, received ${given.length}`
    return metaError(132012, { details })
  }
  for (const [index, card] of wanted.entries()) {
    const one = given.find((each) => each.card_index === index)
    if (one === undefined) return metaError(131008, { details: `carousel: card_index ${index} is missing` })
    const fault = partsFault(row, listOf(card.components), listOf(one.components))
    if (fault !== null) return fault
  }
  return null
}

function offerFault(defined: readonly Members[], sent: readonly Members[]): Fault | null {
  const offer = membersOf(defined.find((component) => kindOf(component) === 'LIMITED_TIME_OFFER')?.limited_time_offer)
  if (offer.has_expiration !== true) return null
  const [parameter] = listOf(sent.find((component) => kindOf(component) === 'LIMITED_TIME_OFFER')?.parameters)
  const { expiration_time_ms } = membersOf(parameter?.limited_time_offer)
  if (typeof expiration_time_ms === 'number') return null
  return metaError(131008, { details: 'limited_time_offer: expiration_time_ms is required' })
}

/** Checks that the code of an authentication template is the same in the body and the button. */
function codeFault({ category }: TemplateRow, sent: readonly Members[]): Fault | null {
  if (category !== 'AUTHENTICATION') return null
  const codes = sent.flatMap((component) => listOf(component.parameters)).map(({ text }) => textOf(text))
  if (new Set(codes).size <= 1 && codes.every((code) => code.length <= LONGEST_CODE)) return null
  return metaError(131009, { details: 'The code must be the same in body and button and have at most 15 characters' })
}

function countFault(where: string, expected: number, given: number): Fault | null {
  if (expected === given) return null
  const details = `${where}: number of localizable_params (${given}) does not match the expected number of params (${expected})`
  return metaError(132000, { details })
}

function variablesOf(source: string): string[] {
  return [...new Set([...source.matchAll(/\{\{\s*([^{}\s]+)\s*\}\}/g)].flatMap((match) => match[1] ?? []))]
}
