import { labelMessages, labelRoutes } from '@lis/contract/labels.ts'
import { implement } from '../../platform/http/implement.ts'
import { printLabels } from './service.ts'

export const labelsModule = implement(labelRoutes, {
  printer: async ({ services }) => ({
    data: { isAvailable: services.config.LABEL_PRINTER !== undefined },
    message: '',
  }),
  print: async (context) => {
    const data = await printLabels(context, context.services, context.body)
    return { data, message: data.url === null ? labelMessages.sent(data.labelCount) : '' }
  },
})
