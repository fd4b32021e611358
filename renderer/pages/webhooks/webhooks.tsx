import { IconWebhook } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useWebhooks } from '../../api/webhooks.ts'
import { ListPage } from '../../components/list-page.tsx'
import { useEndpointHealth } from '../../hooks/use-endpoint-health.ts'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { worstFirst } from '../../model/endpoint-health.ts'
import { AddEndpoint } from './add-endpoint.tsx'
import { DeliveryList } from './delivery-list.tsx'
import { EndpointDrawer } from './endpoint-drawer.tsx'
import { EndpointTable } from './endpoint-table.tsx'
import classes from './webhooks.module.css'

export default function Webhooks() {
  const { t } = useTranslation()
  const { data, error, refetch } = useWebhooks()
  const [, set] = useUrlState()
  const healthOf = useEndpointHealth()
  return (
    <div className={classes.page}>
      <ListPage
        title={t('webhooks.title')}
        lead={t('webhooks.lead')}
        addLabel={t('webhooks.add')}
        query={{ data: data === undefined ? undefined : worstFirst(data, healthOf), error, refetch }}
        idOf={({ id }) => id}
        empty={{ icon: IconWebhook, title: t('webhooks.empty'), hint: t('webhooks.emptyHint') }}
        list={(endpoints, openId) => (
          <>
            <EndpointTable endpoints={endpoints} openId={openId} />
            <DeliveryList endpoints={endpoints} />
          </>
        )}
        drawer={(endpoint, frame) => <EndpointDrawer endpoint={endpoint} {...frame} />}
        form={(frame) => <AddEndpoint {...frame} onDone={(id) => set({ open: id })} />}
      />
    </div>
  )
}
