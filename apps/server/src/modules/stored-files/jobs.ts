import { systemScope } from '../../platform/db/scope.ts'
import { defineJob } from '../../platform/jobs/definition.ts'
import { handleChangedFile } from './service.ts'

/** A stored file was found changed: its reports are held and an issue is raised. */
export const changedFileJob = defineJob<{ key: string }>({
  kind: 'stored-file.changed',
  retry: { limit: 10, delaySeconds: 5, longestDelaySeconds: 300 },
  run: async ({ services }, { key }) => {
    await handleChangedFile(services.databases(systemScope), key)
  },
})
