import { Alert, Switch } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { DesktopBridge } from '../../../server/contract/desktop.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { Setting } from './setting.tsx'

/** The switch for starting Kurir at log-in. Only the desktop has it. */
export function LoginSetting({ desktop }: { desktop: DesktopBridge }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const login = useQuery({ queryKey: queryKeys.loginItem, queryFn: () => desktop.getLoginItem() })
  const change = useMutation({
    mutationFn: (enabled: boolean) => desktop.setLoginItem(enabled),
    onSuccess: (state) => client.setQueryData(queryKeys.loginItem, state),
  })
  // Windows and macOS may refuse the change without an error.
  const failed = change.isError || (change.isSuccess && change.data.enabled !== change.variables)
  return (
    <Setting
      label={t('settings.window.login')}
      hint={t('settings.window.loginHint')}
      below={
        failed ? (
          <Alert variant="light" color="red" role="alert">
            {t('settings.window.loginFailed')}
          </Alert>
        ) : null
      }
    >
      {(ids) => (
        <Switch
          {...ids}
          checked={login.data?.enabled ?? false}
          disabled={login.data === undefined || change.isPending}
          onChange={(event) => change.mutate(event.currentTarget.checked)}
        />
      )}
    </Setting>
  )
}
