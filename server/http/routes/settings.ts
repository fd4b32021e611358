import { isAbsolute } from 'node:path'
import {
  restartAnswer,
  type SettingsView,
  settingsAnswer,
  type UpdateSettings,
  updateSettingsRequest,
} from '../../contract/settings.ts'
import { parseAllowedHost } from '../../lib/net-guard.ts'
import type { SettingsService } from '../../settings/settings.ts'
import { fieldProblem, invalidRequest } from '../../words/errors.ts'
import { restartAfterAnswer } from '../response.ts'
import { defineRoute, ok, type Route } from '../route.ts'

/** @param restart undefined where Kurir cannot restart by itself */
export function settingsRoutes(
  settings: SettingsService,
  view: () => SettingsView,
  restart: (() => void) | undefined,
): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/settings',
      auth: 'owner',
      tag: 'Settings',
      summary: 'Get the settings',
      description:
        'Also contains facts about the running Kurir: version, data folder, and whether a restart is needed.',
      answer: settingsAnswer,
      handler: () => ok('Settings.', view()),
    }),
    defineRoute({
      method: 'PATCH',
      path: '/api/settings',
      auth: 'owner',
      tag: 'Settings',
      summary: 'Change settings',
      description:
        'Fields that are omitted keep their values. `restart_needed` is true if a change takes effect only after a restart.',
      body: updateSettingsRequest,
      answer: settingsAnswer,
      handler: async ({ body }) => {
        checkSettings(body)
        await settings.update(body)
        return ok('Settings saved.', view())
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/restart',
      auth: 'owner',
      tag: 'Settings',
      summary: 'Restart Kurir',
      description:
        'Applies settings that take effect after a restart. Sending stops for a few seconds; no message is lost.',
      answer: restartAnswer,
      handler: ({ res }) => {
        const restarts = restartAfterAnswer(res, restart)
        return ok(restarts ? 'Kurir restarts now.' : 'Kurir cannot restart by itself here.', { restarts })
      },
    }),
  ]
}

/** @throws ApiError `invalid_request` */
function checkSettings({ media_allowed_hosts: hosts, file_folders: folders }: UpdateSettings): void {
  if (hosts?.some((entry) => parseAllowedHost(entry) === null)) {
    const example = '192.168.1.10, 192.168.1.0/24 or files.local:8080'
    throw invalidRequest([fieldProblem('media_allowed_hosts', 'wrong_form', { example })])
  }
  if (folders?.some((folder) => !isAbsolute(folder)))
    throw invalidRequest([fieldProblem('file_folders', 'not_a_whole_path', { example: 'C:\\Till\\PDF' })])
}
