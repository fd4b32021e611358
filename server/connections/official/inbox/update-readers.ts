import { z } from 'zod'
import {
  code,
  date,
  digits,
  explanation,
  id,
  name,
  optional,
  optionalCode,
  readMessagingLimit,
  seconds,
} from '../graph/members.ts'
import type { News, Update } from './updates.ts'

// Fields of a callback about templates, the number and the account. Each change has one update.

const aboutTemplate = z.object({
  message_template_id: id,
  message_template_name: name,
  message_template_language: code,
})

const statusOfTemplate = aboutTemplate.extend({
  event: code,
  reason: optionalCode,
  rejection_info: optional(z.object({ reason: explanation, recommendation: explanation })),
  other_info: optional(z.object({ title: explanation, description: explanation })),
  disable_info: optional(z.object({ disable_date: date })),
})

const qualityOfTemplate = aboutTemplate.extend({ new_quality_score: code, previous_quality_score: optionalCode })

const categoryOfTemplate = aboutTemplate.extend({
  new_category: code,
  previous_category: optionalCode,
  correct_category: optionalCode,
  category_update_timestamp: seconds,
})

const numberValue = z.object({
  display_phone_number: digits,
  event: code,
  max_daily_conversations_per_business: z.unknown().optional(),
})

const nameValue = z.object({
  display_phone_number: digits,
  decision: code,
  requested_verified_name: explanation,
  rejection_reason: optionalCode,
})

const capabilityValue = z.object({
  max_daily_conversation_per_phone: z.unknown().optional(),
  max_daily_conversations_per_business: z.unknown().optional(),
})

const accountValue = z.object({
  event: code,
  restriction_info: z
    .array(z.object({ restriction_type: code, expiration: date }))
    .max(50)
    .catch([]),
  ban_info: optional(z.object({ waba_ban_state: code, waba_ban_date: date })),
  violation_info: optional(z.object({ violation_type: code })),
})

const alertValue = z.object({
  alert_info: z.object({
    alert_severity: code.catch('WARNING'),
    alert_status: optionalCode,
    alert_type: code,
    alert_description: explanation,
  }),
})

const securityValue = z.object({ display_phone_number: digits, event: code })

type Reader = (value: unknown, from: News) => Update | null

/** Reads the update of a change, by the field. Returns null if the value has an unknown form. */
export const UPDATE_READERS: { [field: string]: Reader } = {
  message_template_status_update: reader(statusOfTemplate, (value, from) => ({
    kind: 'template',
    ...from,
    ...templateOf(value),
    event: value.event,
    reason: value.reason === 'NONE' ? null : value.reason,
    explanation: sentences(
      value.rejection_info?.reason,
      value.rejection_info?.recommendation,
      value.other_info?.description ?? value.other_info?.title,
    ),
    disabledAt: value.disable_info?.disable_date ?? null,
  })),
  message_template_components_update: reader(aboutTemplate, (value, from) => ({
    kind: 'template_edit',
    ...from,
    ...templateOf(value),
  })),
  message_template_quality_update: reader(qualityOfTemplate, (value, from) => ({
    kind: 'template_quality',
    ...from,
    ...templateOf(value),
    quality: value.new_quality_score,
    before: value.previous_quality_score,
  })),
  template_category_update: reader(categoryOfTemplate, (value, from) => ({
    kind: 'template_category',
    ...from,
    ...templateOf(value),
    category: value.new_category,
    before: value.previous_category,
    coming:
      value.correct_category === null
        ? null
        : { category: value.correct_category, at: value.category_update_timestamp },
  })),
  phone_number_quality_update: reader(numberValue, (value, from) => ({
    kind: 'number',
    ...from,
    phone: value.display_phone_number,
    event: value.event,
    limit: readMessagingLimit(value.max_daily_conversations_per_business),
  })),
  phone_number_name_update: reader(nameValue, (value, from) => ({
    kind: 'name',
    ...from,
    phone: value.display_phone_number,
    decision: value.decision,
    name: value.requested_verified_name,
    reason: value.rejection_reason === 'NONE' ? null : value.rejection_reason,
  })),
  business_capability_update: reader(capabilityValue, (value, from) => {
    const limit =
      readMessagingLimit(value.max_daily_conversations_per_business) ??
      readMessagingLimit(value.max_daily_conversation_per_phone)
    return limit === null ? null : { kind: 'capability', ...from, limit }
  }),
  account_update: reader(accountValue, (value, from) => ({
    kind: 'account',
    ...from,
    event: value.event,
    restrictions: value.restriction_info.map(({ restriction_type: type, expiration: until }) => ({ type, until })),
    ban: value.ban_info && { state: value.ban_info.waba_ban_state, at: value.ban_info.waba_ban_date },
    violation: value.violation_info?.violation_type ?? null,
  })),
  account_alerts: reader(alertValue, ({ alert_info }, from) => ({
    kind: 'alert',
    ...from,
    severity: alert_info.alert_severity,
    type: alert_info.alert_type,
    active: alert_info.alert_status !== 'NONE',
    explanation: alert_info.alert_description,
  })),
  security: reader(securityValue, (value, from) => ({
    kind: 'security',
    ...from,
    phone: value.display_phone_number,
    event: value.event,
  })),
}

function reader<T extends z.ZodType>(schema: T, make: (value: z.infer<T>, from: News) => Update | null): Reader {
  return (value, from) => {
    const parsed = schema.safeParse(value)
    return parsed.success ? make(parsed.data, from) : null
  }
}

const templateOf = (value: z.infer<typeof aboutTemplate>) => ({
  templateId: value.message_template_id,
  name: value.message_template_name,
  language: value.message_template_language,
})

/** Joins the given parts; null if there are none. */
function sentences(...parts: (string | null | undefined)[]): string | null {
  const said = parts.filter((part) => part !== null && part !== undefined)
  return said.length === 0 ? null : said.join(' ')
}
