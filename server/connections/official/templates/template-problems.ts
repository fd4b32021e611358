import { z } from 'zod'
import type { ErrorDetail } from '../../../contract/errors.ts'
import type { TemplateOptions } from '../../../contract/messages.ts'
import { isUserId } from '../../../contract/phone.ts'
import { type TemplateComponent, type TemplateParameters, templateComponent } from '../../../contract/templates.ts'
import { type ButtonNeed, needsOf, type PartNeeds, type Template } from '../graph/templates.ts'

// Finds sends that Meta would refuse. Each problem names a member of the caller's request.

/** Characters that Meta refuses in values of variables (132018). Empty values too (131008). */
const UNWANTED = /[\n\r\t]| {5}/
const MOST_PROBLEMS = 20
const LONGEST_CODE = 15
/** Header formats whose parameter has the format's name. */
const MEDIA = ['IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION']

const card = z.looseObject({
  card_index: z.coerce.number().optional().catch(undefined),
  components: z.array(templateComponent).catch([]),
})
const offer = z.looseObject({ limited_time_offer: z.looseObject({ expiration_time_ms: z.coerce.number() }) })

/** Returns options that do not fit the category. If the category is unknown, Meta decides. */
export function optionProblems(options: TemplateOptions, recipient: string, category: string | null): ErrorDetail[] {
  if (category === null) return []
  const found: ErrorDetail[] = []
  for (const field of ['product_policy', 'message_activity_sharing'] as const) {
    if (options[field] !== undefined && category !== 'MARKETING') {
      found.push({ field, message: `is for templates of the category MARKETING; this one is ${category}` })
    }
  }
  // Meta's error 131062.
  if (isUserId(recipient) && category === 'AUTHENTICATION') {
    found.push({ field: 'phone', message: 'must be a number: Meta sends no one-time codes to its user IDs' })
  }
  return found
}

/** Returns values that Meta refuses in every template. */
export function valueProblems(
  parameters: TemplateParameters = [],
  components: readonly TemplateComponent[] = [],
): ErrorDetail[] {
  const values = Array.isArray(parameters)
    ? parameters.map((value, index) => ({ field: `parameters[${index}]`, value: String(value) }))
    : Object.entries(parameters).map(([name, value]) => ({ field: `parameters.${name}`, value: String(value) }))
  const found: ErrorDetail[] = []
  for (const { field, value } of [...values, ...textsOf(components, 'components')]) {
    const message = valueProblem(value)
    if (message !== null) found.push({ field, message })
    if (found.length === MOST_PROBLEMS) break
  }
  return found
}

function valueProblem(value: string): string | null {
  if (value === '') return 'must not be empty'
  return UNWANTED.test(value) ? 'must have no line break, no tab and no five spaces in a row' : null
}

/** Returns the texts of headers and bodies with their place in the request. */
function textsOf(components: readonly TemplateComponent[], path: string): { field: string; value: string }[] {
  return components.flatMap((component, at) => {
    const here = `${path}[${at}]`
    if (isType(component, 'button')) return []
    const own = (component.parameters ?? []).flatMap(({ type, text }, index) =>
      type === 'text' && typeof text === 'string' ? [{ field: `${here}.parameters[${index}].text`, value: text }] : [],
    )
    const below = cardsOf(component).flatMap((one, index) =>
      textsOf(one.components, `${here}.cards[${index}].components`),
    )
    return [...own, ...below]
  })
}

/**
 * Returns faults of a send, as sentences for the caller.
 * @param known all known languages of the template; if empty, Meta decides
 */
export function templateProblems(
  known: readonly Template[],
  language: string,
  components: readonly TemplateComponent[],
): ErrorDetail[] {
  if (known.length === 0) return []
  const chosen = known.find((candidate) => candidate.language === language)
  if (chosen === undefined) {
    const languages = known.map((candidate) => candidate.language).join(', ')
    return [{ field: 'language', message: `does not exist for this template; it exists in ${languages}` }]
  }
  if (chosen.status !== 'APPROVED') {
    const message = `is ${chosen.status} at Meta; only an APPROVED template can be sent`
    return [{ field: 'template_name', message }]
  }
  const needs = needsOf(chosen)
  return [
    ...bodyProblems(needs, components),
    ...headerProblems(needs, components, ''),
    ...buttonProblems(needs, components, ''),
    ...cardProblems(needs.cards, components),
    ...offerProblems(needs.offerEnds, components),
    ...codeProblems(chosen, components),
  ]
}

function bodyProblems({ body }: PartNeeds, components: readonly TemplateComponent[]): ErrorDetail[] {
  if (body === null) return []
  const given = part(components, 'body')?.parameters ?? []
  const named = body.some((name) => !/^\d+$/.test(name))
  if (!named) return countProblem('parameters', 'the body of this template', body.length, given.length)
  const names = given.map((parameter) => parameter.parameter_name)
  const missing = body.filter((name) => !names.includes(name))
  const unknown = given.length - (body.length - missing.length)
  if (missing.length === 0 && unknown === 0) return []
  const asked = `must be an object of the named variables ${body.join(', ')}`
  const absent = missing.length > 0 ? `; missing: ${missing.join(', ')}` : ''
  return [{ field: 'parameters', message: `${asked}${absent}${unknown > 0 ? `; ${unknown} not known` : ''}` }]
}

/** @param where ` in card 1`, or nothing */
function headerProblems(needs: PartNeeds, components: readonly TemplateComponent[], where: string): ErrorDetail[] {
  const given = part(components, 'header')?.parameters ?? []
  const { headerText, headerMedia } = needs
  if (headerMedia === null) {
    return countProblem('components', `the header of this template${where}`, headerText.length, given.length)
  }
  const type = headerMedia.toLowerCase()
  const [first] = given
  if (first === undefined) {
    return [{ field: 'components', message: `must hold a header with one ${type} parameter${where}` }]
  }
  if (!MEDIA.includes(headerMedia) || first.type.toLowerCase() === type) return []
  return [{ field: 'components', message: `must hold a header with one ${type}, not one ${first.type}${where}` }]
}

function buttonProblems(needs: PartNeeds, components: readonly TemplateComponent[], where: string): ErrorDetail[] {
  const given = components.filter((component) => isType(component, 'button'))
  const fits = ({ index, parameter }: ButtonNeed) =>
    given.some(
      (button) =>
        String(button.index) === String(index) &&
        button.parameters?.some(({ type }) => type.toLowerCase() === parameter),
    )
  return needs.buttons
    .filter((need) => !fits(need))
    .map(({ index, subType, parameter }) => ({
      field: 'components',
      message: `must hold a button with sub_type ${subType}, index ${index} and one ${parameter} parameter${where}`,
    }))
}

function cardProblems(needed: readonly PartNeeds[], components: readonly TemplateComponent[]): ErrorDetail[] {
  if (needed.length === 0) return []
  const carousel = part(components, 'carousel')
  const given = carousel === undefined ? [] : cardsOf(carousel)
  if (needed.length !== given.length) {
    return [{ field: 'components', message: `must hold a carousel with ${needed.length} cards, ${given.length} given` }]
  }
  return needed.flatMap((needs, index) => {
    const where = ` in card ${index}`
    const found = given.find((one) => one.card_index === index)
    if (found === undefined) return [{ field: 'components', message: `must hold a card with card_index ${index}` }]
    const body = needs.body === null ? [] : (part(found.components, 'body')?.parameters ?? [])
    return [
      ...headerProblems(needs, found.components, where),
      ...countProblem('components', `the body${where}`, needs.body?.length ?? 0, body.length),
      ...buttonProblems(needs, found.components, where),
    ]
  })
}

function offerProblems(ends: boolean, components: readonly TemplateComponent[]): ErrorDetail[] {
  if (!ends) return []
  const given = part(components, 'limited_time_offer')?.parameters ?? []
  if (given.some((parameter) => offer.safeParse(parameter).success)) return []
  return [{ field: 'components', message: 'must hold a limited_time_offer with expiration_time_ms' }]
}

/** A one-time code must be the same in the body and in the button. */
function codeProblems({ category }: Template, components: readonly TemplateComponent[]): ErrorDetail[] {
  if (category?.toUpperCase() !== 'AUTHENTICATION') return []
  const [inBody] = part(components, 'body')?.parameters ?? []
  const [behind] = part(components, 'button')?.parameters ?? []
  const problems: ErrorDetail[] = []
  if (typeof inBody?.text === 'string' && inBody.text.length > LONGEST_CODE) {
    problems.push({ field: 'parameters[0]', message: `is the code and must have at most ${LONGEST_CODE} characters` })
  }
  if (behind !== undefined && inBody !== undefined && behind.text !== inBody.text) {
    problems.push({ field: 'components', message: 'must hold the same code in its button as in the body' })
  }
  return problems
}

function countProblem(field: string, where: string, needed: number, given: number): ErrorDetail[] {
  if (needed === given) return []
  const variables = needed === 1 ? '1 variable' : `${needed} variables`
  return [{ field, message: `${where} has ${variables}, ${given} given` }]
}

const isType = (component: TemplateComponent, type: string): boolean => component.type.toLowerCase() === type

function part(components: readonly TemplateComponent[], type: string): TemplateComponent | undefined {
  return components.find((component) => isType(component, type))
}

/** Returns the cards of a carousel. A card of another form counts as empty. */
function cardsOf({ cards }: TemplateComponent): { card_index?: number | undefined; components: TemplateComponent[] }[] {
  if (!Array.isArray(cards)) return []
  return cards.map((one: unknown) => card.safeParse(one).data ?? { components: [] })
}
