import { IconKey } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useKeys } from '../../api/keys.ts'
import { useSenders } from '../../api/senders.ts'
import { ListPage } from '../../components/list-page.tsx'
import { useNow } from '../../hooks/use-now.ts'
import { keyState, workingFirst } from '../../model/key-state.ts'
import { CreateKey } from './create-key.tsx'
import { KeyDrawer } from './key-drawer.tsx'
import { KeyTable } from './key-table.tsx'

export default function Keys() {
  const { t } = useTranslation()
  const { data, error, refetch } = useKeys()
  const senders = useSenders().data
  const now = useNow(10_000)
  return (
    <ListPage
      title={t('keys.title')}
      lead={t('keys.lead')}
      tabs="keys"
      addLabel={t('keys.create')}
      query={{ data: data === undefined ? undefined : workingFirst(data, now, senders), error, refetch }}
      idOf={({ id }) => id}
      empty={{ icon: IconKey, title: t('keys.empty'), hint: t('keys.emptyHint') }}
      list={(keys, openId) => (
        <KeyTable keys={keys} openId={openId} isEnded={(key) => keyState(key, now, senders) !== 'valid'} />
      )}
      drawer={(key, frame) => <KeyDrawer apiKey={key} {...frame} />}
      form={(frame) => <CreateKey {...frame} />}
    />
  )
}
