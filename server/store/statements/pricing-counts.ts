import { type Pricing, pricing } from '../../contract/messages.ts'
import type { PricingCount, PricingCountStore } from '../pricing-counts.ts'
import type { Db, Tx } from './engine.ts'
import { type Columns, integer, json, selecting, text } from './sql.ts'

const COUNT: Columns<PricingCount> = {
  senderId: integer('sender_id'),
  pricing: json('pricing', pricing),
  count: integer('count'),
}

export interface PricingCountStatements extends PricingCountStore {
  /** One more. @param day local, such as `2026-11-21` */
  add(tx: Tx, senderId: number, pricing: Pricing, day: string): void
}

export function createPricingCounts(db: Db): PricingCountStatements {
  const ofMonth = selecting(db, COUNT)<[string]>('FROM pricing_counts WHERE month = ? ORDER BY sender_id, count DESC')
  const months = selecting<{ month: string }>(db, { month: text('month') })(
    'FROM pricing_counts GROUP BY month ORDER BY month DESC',
  )
  const add = db.prepare(
    `INSERT INTO pricing_counts (month, sender_id, pricing, count) VALUES (?, ?, ?, 1)
     ON CONFLICT DO UPDATE SET count = count + 1`,
  )
  return {
    ofMonth: async (month) => ofMonth.all(month),
    months: async () => months.all().map(({ month }) => month),
    add(_tx, senderId, { billable, pricing_model, type, category }, day) {
      // Always in this order: the text is the key.
      add.run(day.slice(0, 7), senderId, JSON.stringify({ billable, pricing_model, type, category }))
    },
  }
}
