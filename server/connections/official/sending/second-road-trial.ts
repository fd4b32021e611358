import type { SecondRoad, SecondRoadTrial, SecondRoadTryRequest } from '../../../contract/second-road.ts'
import { fillVariables } from '../../../contract/templates.ts'
import { isoTime } from '../../../lib/clock.ts'
import { shortened } from '../../../messages/view.ts'
import type { Message, SenderRow } from '../../../store/index.ts'
import { fieldProblem, invalidRequest } from '../../../words/errors.ts'
import { valueProblems } from '../templates/template-problems.ts'
import { checkTemplate } from '../templates/template-target.ts'
import type { TemplateContext } from './context.ts'
import { type Fit, fitOf } from './second-road-fit.ts'

/**
 * Tries the last texts of a sender on its second road, or on one that the owner thinks of.
 * @throws ApiError `invalid_request`
 */
export async function tryRoad(
  context: TemplateContext,
  sender: SenderRow,
  { road: given, limit }: SecondRoadTryRequest,
): Promise<SecondRoadTrial[]> {
  const { messages, senders } = context.store
  const road = given ?? sender.settings.second_road
  if (sender.kind !== 'linked') throw invalidRequest([fieldProblem('road', 'only_linked')])
  if (road === null) throw invalidRequest([fieldProblem('road', 'required')])
  const official = senders.byCode(road.sender_code)
  if (official?.kind !== 'official') throw invalidRequest([fieldProblem('road.sender_code', 'not_official')])
  const past = await messages.list({ senderId: sender.id, limit })
  const texts = past.filter(({ body, file }) => body !== null && file === null)
  return Promise.all(texts.map((message) => trialOf(context, message, road, official)))
}

async function trialOf(
  context: TemplateContext,
  { id, body, recipient, createdAt }: Message,
  road: SecondRoad,
  official: SenderRow,
): Promise<SecondRoadTrial> {
  const text = body ?? ''
  const frame = { id, created_at: isoTime(createdAt), message: shortened(text) }
  const fit = fitOf(road.rules, text)
  if (fit === null) return { ...frame, rule: null, template_name: null, language: null, preview: null, problems: [] }
  const target = context.targetOf(official)
  const { problems } = await checkTemplate(target, { ...fit, recipient }, valueProblems(fit.parameters))
  return {
    ...frame,
    rule: fit.rule,
    template_name: fit.name,
    language: fit.language,
    preview: await previewOf(context, official, fit),
    problems: problems.map(({ field, message }) => `${field} ${message}`),
  }
}

async function previewOf({ catalogue }: TemplateContext, { id }: SenderRow, fit: Fit): Promise<string | null> {
  const template = await catalogue.find(id, fit.name, fit.language)
  const text = template?.components.find(({ type }) => type.toUpperCase() === 'BODY')?.text
  if (text === undefined) return null
  const { parameters } = fit
  const byName = Array.isArray(parameters)
    ? Object.fromEntries(parameters.map((value, at) => [at + 1, value]))
    : parameters
  return fillVariables(text, byName)
}
