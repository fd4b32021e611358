import { Anchor, Group, NumberInput, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PricingMonth } from '../../../server/slices/pricing/contract.ts'
import { useSetPrices } from '../../api/official.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { useLeaveGuard } from '../../hooks/leave-guard.ts'
import { useFormat } from '../../hooks/use-format.ts'

const BILL = 'https://business.facebook.com/billing_hub'

/** Estimates a month's cost from prices that the owner enters, because Meta reports no amounts. */
export function Bill({ rows, prices }: Pick<PricingMonth, 'rows' | 'prices'>) {
  const { t } = useTranslation()
  const billed = rows.filter(({ billable }) => billable === true)
  if (billed.length === 0) return null
  const categories = [...new Set(billed.flatMap(({ category }) => category ?? []))]
  return (
    <>
      <PricesForm categories={categories} saved={prices} />
      <Text size="sm" mt="sm">
        <Sum billed={billed} prices={prices} />{' '}
        <Anchor href={BILL} target="_blank" rel="noreferrer" size="sm" underline="always">
          {t('month.bill')}
        </Anchor>
      </Text>
    </>
  )
}

function Sum({ billed, prices }: { billed: PricingMonth['rows']; prices: PricingMonth['prices'] }) {
  const { t } = useTranslation()
  const format = useFormat()
  const costs = billed.flatMap(({ category, count }) => {
    const price = category === null ? undefined : prices[category]
    return price === undefined ? [] : [price * count]
  })
  if (costs.length === 0) return <>{t('month.noPrices')}</>
  const sum = format.number(Math.round(costs.reduce((total, cost) => total + cost, 0) * 100) / 100)
  return <>{costs.length === billed.length ? t('month.about', { sum }) : t('month.atLeast', { sum })}</>
}

interface PricesFormProps {
  categories: string[]
  saved: PricingMonth['prices']
}

function PricesForm({ categories, saved }: PricesFormProps) {
  const { t, i18n } = useTranslation()
  const [typed, setTyped] = useState<Record<string, number | string>>({})
  const values = { ...saved, ...typed }
  const set = useSetPrices()
  const wanted = Object.fromEntries(
    Object.entries(values).flatMap(([name, price]) => (price === '' ? [] : [[name, Number(price)]])),
  )
  const isChanged = [...new Set([...Object.keys(wanted), ...Object.keys(saved)])].some(
    (name) => wanted[name] !== saved[name],
  )
  useLeaveGuard(isChanged, 'unsaved')

  function submit(event: FormEvent) {
    event.preventDefault()
    set.mutate(wanted, {
      onSuccess: () => {
        // Text that was typed since then stays.
        setTyped((now) => (now === typed ? {} : now))
        notifications.show({ message: t('actions.saved') })
      },
    })
  }

  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="sm" mt="md">
        {categories.map((category) => (
          <NumberInput
            key={category}
            w={200}
            hideControls
            label={t('words.optional', { label: t('month.price', { category }) })}
            min={0}
            max={1_000_000}
            decimalSeparator={i18n.language === 'id' ? ',' : '.'}
            value={values[category] ?? ''}
            onChange={(price) => setTyped({ ...typed, [category]: price })}
          />
        ))}
        {isChanged ? (
          <BusyButton type="submit" busy={set.isPending}>
            {t('actions.save')}
          </BusyButton>
        ) : null}
      </Group>
      {set.error === null ? null : <ErrorState error={set.error} />}
    </form>
  )
}
