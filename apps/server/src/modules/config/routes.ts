import { configRoutes } from '@lis/contract/config.ts'
import { getHomeZone } from '../../platform/home-zone.ts'
import { implement } from '../../platform/http/implement.ts'
import { version } from '../../platform/version.ts'

export const configModule = implement(configRoutes, {
  one: async ({ services, db }) => ({
    data: {
      idp: services.identity.publicSettings,
      demo: services.config.demo,
      passwordDays: services.identityPool ? services.config.PASSWORD_DAYS : null,
      labTz: await getHomeZone(db),
      productName: 'Lab Information System (LIS)',
      version,
    },
    message: '',
  }),
})
