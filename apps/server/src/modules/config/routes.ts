import { configRoutes } from '@lis/contract/config.ts'
import { implement } from '../../platform/http/implement.ts'
import { version } from '../../platform/version.ts'

export const configModule = implement(configRoutes, {
  one: async ({ services }) => ({
    data: {
      idp: services.identity.publicSettings,
      demo: services.config.demo,
      passwordDays: services.identityPool ? services.config.PASSWORD_DAYS : null,
      productName: 'Lab Information System (LIS)',
      version,
    },
    message: '',
  }),
})
