import { Alert, Button, FileButton, Group, List, Stack, Text } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { formatPhone } from '../../../server/contract/phone.ts'
import { useCheckSuppressions, useImportSuppressions } from '../../api/suppressions.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { useProblemText } from '../../hooks/use-field-text.ts'
import { useFromSender } from '../../hooks/use-from-sender.ts'

/** Imports opt-outs from a table, after the owner has seen how Kurir reads it. */
export function ImportOptOuts() {
  const { t } = useTranslation()
  const check = useCheckSuppressions()
  const take = useImportSuppressions()
  const error = check.error ?? take.error

  function look(file: File | null) {
    if (file === null) return
    take.reset()
    check.mutate(file)
  }

  return (
    <>
      <Group gap="sm">
        <FileButton accept=".csv,.xlsx" onChange={look}>
          {(props) => (
            <Button {...props} variant="default" leftSection={<IconUpload size={16} />} aria-busy={check.isPending}>
              {t('optOuts.import')}
            </Button>
          )}
        </FileButton>
        <Text size="sm" c="dimmed">
          {t('optOuts.importHint')}
        </Text>
      </Group>
      {error === null ? null : <ErrorState error={error} />}
      {check.data === undefined ? null : (
        <Preview
          found={check.data}
          isBusy={take.isPending}
          take={() => take.mutate(check.variables, { onSuccess: check.reset })}
          leave={check.reset}
        />
      )}
      {take.data === undefined ? null : (
        <Alert
          role="status"
          color={take.data.refused_count === 0 ? 'blue' : 'yellow'}
          title={t('optOuts.imported', { count: take.data.added })}
        >
          <Refused {...take.data} />
        </Alert>
      )}
    </>
  )
}

type Found = NonNullable<ReturnType<typeof useCheckSuppressions>['data']>

/** Shows how Kurir reads a table, before anything is imported. */
function Preview({
  found,
  isBusy,
  take,
  leave,
}: {
  found: Found
  isBusy: boolean
  take: () => void
  leave: () => void
}) {
  const { t } = useTranslation()
  const fromSender = useFromSender()
  const { count, first } = found
  return (
    <Alert
      role="status"
      color={found.refused_count === 0 ? 'blue' : 'yellow'}
      title={t('optOuts.understood', { count })}
    >
      <Stack gap="sm">
        {first.length === 0 ? null : (
          <List size="sm">
            {first.map(({ phone, scope, sender_code }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a number may stand in the table twice
              <List.Item key={at}>
                {[formatPhone(phone), t(`optOuts.scopes.${scope}`), ...fromSender(sender_code)].join(' · ')}
              </List.Item>
            ))}
            {count > first.length ? (
              <List.Item>{t('optOuts.others', { count: count - first.length })}</List.Item>
            ) : null}
          </List>
        )}
        <Refused {...found} />
        <Group gap="sm">
          {count === 0 ? null : (
            <BusyButton busy={isBusy} onClick={take}>
              {t('optOuts.take', { count })}
            </BusyButton>
          )}
          <Button variant="default" onClick={leave}>
            {t('actions.cancel')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}

/** Lines of a table that are not imported, each with the reason. */
function Refused({ refused, refused_count }: Pick<Found, 'refused' | 'refused_count'>) {
  const { t } = useTranslation()
  const problemText = useProblemText()
  const names: Record<string, string> = {
    phone: t('optOuts.number'),
    scope: t('optOuts.scope'),
    sender_code: t('messages.sender'),
  }
  if (refused_count === 0) return null
  return (
    <div>
      <Text size="sm">{t('optOuts.refused', { count: refused_count })}</Text>
      <List size="sm">
        {refused.map(({ line, ...wrong }) => (
          <List.Item key={line}>
            {t('optOuts.line', {
              line: String(line),
              field: names[wrong.field] ?? wrong.field,
              problem: problemText(wrong),
            })}
          </List.Item>
        ))}
      </List>
    </div>
  )
}
