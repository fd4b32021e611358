import { useTranslation } from 'react-i18next'
import type { Concern } from '../../../server/contract/concerns.ts'
import { useMarkFailuresSeen } from '../../api/overview.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { useTellError } from '../../hooks/use-tell-error.ts'

/** Marks failed messages as seen. They then raise no alarm until as many fail again. */
export function SeenButton({ concern: { code } }: { concern: Concern }) {
  const { t } = useTranslation()
  const mark = useMarkFailuresSeen()
  const onError = useTellError()
  if (code !== 'messages_failing') return null
  return (
    <BusyButton size="xs" variant="subtle" busy={mark.isPending} onClick={() => mark.mutate(undefined, { onError })}>
      {t('home.seen')}
    </BusyButton>
  )
}
