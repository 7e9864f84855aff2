/* INFO's numbers: memory, counters, commands, the network layer. */
#include <inttypes.h>
#include <stdio.h>

#include "acl/acl.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/num.h"
#include "commands/registry.h"
#include "net/net.h"
#include "server/info_parts.h"
#include "server/platform.h"

const struct info_sessions *info_look_at_sessions(struct info *info) {
    const struct sessions *sessions = info->source->host->sessions;
    struct info_sessions *out = &info->sessions;
    if (out->seen) return out;
    out->seen = true;
    LIST_FOR_EACH(it, &sessions->all) {
        const struct session *session = LIST_ENTRY(it, struct session, link);
        size_t input =
            reader_held_bytes(&session->reader) + session->kept_bytes + session->backlog.len;
        size_t output = session_output_bytes(session), memory = session_memory_bytes(session);
        out->pubsub_count += (session->flags & SESSION_PUBSUB) != 0;
        out->paused_count += (session->stop & SESSION_STOP_PAUSED) != 0;
        out->timeout_count += session->timer.at != 0;
        out->input_bytes_max = MAX(out->input_bytes_max, input);
        out->output_bytes_max = MAX(out->output_bytes_max, output);
        out->memory_bytes += memory;
        if (session->flags & SESSION_PUBSUB) out->pubsub_memory_bytes += memory;
    }
    return out;
}

/* -- memory */

static uint64_t dataset_bytes(const struct host *host) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < keyspace_db_count(host->keyspace); i++)
        bytes += keyspace_db(host->keyspace, i)->data_bytes;
    return bytes;
}

static void memory_of_process(struct info *info) {
    const struct host *host = info->source->host;
    size_t used = mem_used_bytes(), peak = MAX(mem_peak_bytes(), used),
           startup = host->startup_bytes(host->server);
    uint64_t dataset = dataset_bytes(host);
    info_bytes(info, "used_memory", used);
    info_bytes(info, "used_memory_rss", mem_resident_bytes());
    info_bytes(info, "used_memory_peak", peak);
    buf_printf(info->out, "used_memory_peak_perc:%.2f%%\r\n",
               peak ? (double)used / (double)peak * 100 : 0);
    info_uint(info, "used_memory_overhead", used > dataset ? used - dataset : 0);
    info_uint(info, "used_memory_startup", startup);
    info_uint(info, "used_memory_dataset", dataset);
    buf_printf(info->out, "used_memory_dataset_perc:%.2f%%\r\n",
               used > startup ? MIN((double)dataset / (double)(used - startup) * 100, 100) : 0);
}

static void memory_of_allocator(struct info *info) {
    struct mem_stats stats;
    mem_stats_get(&stats);
    info_uint(info, "allocator_allocated", stats.allocated_bytes);
    info_uint(info, "allocator_active", stats.active_bytes);
    info_uint(info, "allocator_resident", stats.resident_bytes);
    info_uint(info, "allocator_muzzy", stats.muzzy_bytes);
    info_bytes(info, "total_system_memory", platform_memory_bytes());
}

static void memory_of_scripts(struct info *info) {
    const struct info_counts *counts = &info->counts;
    info_bytes(info, "used_memory_lua", counts->script_bytes);
    info_uint(info, "used_memory_vm_eval", counts->script_bytes);
    info_uint(info, "used_memory_scripts_eval", counts->script_cache_bytes);
    info_uint(info, "number_of_cached_scripts", counts->script_count);
    info_uint(info, "number_of_functions", counts->function_count);
    info_uint(info, "number_of_libraries", counts->library_count);
    info_uint(info, "used_memory_vm_functions", counts->function_vm_bytes);
    info_bytes(info, "used_memory_vm_total", counts->script_bytes + counts->function_vm_bytes);
    info_uint(info, "used_memory_functions", counts->function_bytes);
    info_bytes(info, "used_memory_scripts", counts->script_cache_bytes + counts->function_bytes);
}

static void memory_limits(struct info *info) {
    char policy[32];
    info_bytes(info, "maxmemory", (uint64_t)info->source->host->settings->maxmemory_bytes);
    info_text(info, "maxmemory_policy",
              info_option(info, "maxmemory-policy", policy, sizeof policy));
}

static void memory_ratios(struct info *info) {
    struct mem_stats stats;
    size_t used = mem_used_bytes(), resident = mem_resident_bytes();
    mem_stats_get(&stats);
    info_ratio(info, "allocator_frag_ratio", (double)stats.active_bytes,
               (double)stats.allocated_bytes);
    info_int(info, "allocator_frag_bytes", (int64_t)(stats.active_bytes - stats.allocated_bytes));
    info_ratio(info, "allocator_rss_ratio", (double)stats.resident_bytes,
               (double)stats.active_bytes);
    info_int(info, "allocator_rss_bytes", (int64_t)(stats.resident_bytes - stats.active_bytes));
    info_ratio(info, "rss_overhead_ratio", (double)resident, (double)stats.resident_bytes);
    info_int(info, "rss_overhead_bytes", (int64_t)resident - (int64_t)stats.resident_bytes);
    info_ratio(info, "mem_fragmentation_ratio", (double)resident, (double)used);
    info_int(info, "mem_fragmentation_bytes", (int64_t)resident - (int64_t)used);
}

void info_section_memory(struct info *info) {
    static const struct info_fixed_field absent[] = {
        {"mem_replication_backlog", "0"}, {"mem_total_replication_buffers", "0"},
        {"mem_clients_slaves", "0"},      {"mem_cluster_links", "0"},
        {"mem_aof_buffer", "0"},          {"active_defrag_running", "0"},
    };
    const struct host *host = info->source->host;
    const struct keyspace_stats *stats = keyspace_stats(host->keyspace);
    size_t used = mem_used_bytes(), data = keyspace_data_bytes(host->keyspace);
    memory_of_process(info);
    memory_of_allocator(info);
    memory_of_scripts(info);
    memory_limits(info);
    memory_ratios(info);
    info_uint(info, "mem_not_counted_for_evict", used > data ? used - data : 0);
    info_uint(info, "mem_clients_normal", info_look_at_sessions(info)->memory_bytes);
    info_fixed(info, absent, ARRAY_LENGTH(absent));
    info_text(info, "mem_allocator", mem_allocator());
    info_uint(info, "lazyfree_pending_objects", keyspace_lazy_objects(host->keyspace));
    info_uint(info, "lazyfreed_objects", stats->lazy_freed_count);
}

/* -- counters */

static void stats_of_traffic(struct info *info) {
    const struct host *host = info->source->host;
    const struct metrics *metrics = info->source->metrics;
    const struct sessions_stats *sessions = &host->sessions->stats;
    info_uint(info, "total_connections_received", sessions->connection_count);
    info_uint(info, "total_commands_processed", host->dispatch.command_count);
    info_uint(info, "instantaneous_ops_per_sec", metrics_rate(metrics, METRIC_COMMANDS));
    info_uint(info, "total_net_input_bytes", sessions->in_bytes);
    info_uint(info, "total_net_output_bytes", sessions->out_bytes);
    info_text(info, "total_net_repl_input_bytes", "0");
    info_text(info, "total_net_repl_output_bytes", "0");
    info_ratio(info, "instantaneous_input_kbps", (double)metrics_rate(metrics, METRIC_INPUT_BYTES),
               1024);
    info_ratio(info, "instantaneous_output_kbps",
               (double)metrics_rate(metrics, METRIC_OUTPUT_BYTES), 1024);
    info_text(info, "instantaneous_input_repl_kbps", "0.00");
    info_text(info, "instantaneous_output_repl_kbps", "0.00");
    info_uint(info, "rejected_connections", info->counts.rejected_connections);
    info_text(info, "sync_full", "0");
    info_text(info, "sync_partial_ok", "0");
    info_text(info, "sync_partial_err", "0");
}

static void stats_of_keyspace(struct info *info) {
    const struct keyspace_stats *stats = keyspace_stats(info->source->host->keyspace);
    info_uint(info, "expired_keys", stats->expired_count);
    info_uint(info, "expired_fields", stats->expired_field_count);
    info_text(info, "expired_stale_perc", "0.00");
    info_uint(info, "expired_time_cap_reached_count", stats->expire_cycle_capped_count);
    info_uint(info, "expire_cycle_cpu_milliseconds", stats->expire_cycle_us / 1000);
    info_uint(info, "evicted_keys", stats->evicted_count);
    info_uint(info, "evicted_clients", info->counts.evicted_clients);
    info_uint(info, "total_eviction_exceeded_time", info->counts.eviction_exceeded_us / 1000);
    info_uint(info, "current_eviction_exceeded_time", info->counts.eviction_exceeded_now_us / 1000);
    info_uint(info, "keyspace_hits", stats->hit_count);
    info_uint(info, "keyspace_misses", stats->miss_count);
}

static void stats_of_features(struct info *info) {
    static const struct info_fixed_field absent[] = {
        {"latest_fork_usec", "0"},         {"total_forks", "0"},
        {"migrate_cached_sockets", "0"},   {"slave_expires_tracked_keys", "0"},
        {"active_defrag_hits", "0"},       {"active_defrag_misses", "0"},
        {"active_defrag_key_hits", "0"},   {"active_defrag_key_misses", "0"},
        {"total_active_defrag_time", "0"}, {"current_active_defrag_time", "0"},
    };
    const struct info_counts *counts = &info->counts;
    info_uint(info, "pubsub_channels", counts->pubsub_channels);
    info_uint(info, "pubsub_patterns", counts->pubsub_patterns);
    info_uint(info, "pubsubshard_channels", counts->pubsub_shard_channels);
    info_fixed(info, absent, ARRAY_LENGTH(absent));
    info_uint(info, "tracking_total_keys", counts->tracking_keys);
    info_uint(info, "tracking_total_items", counts->tracking_items);
    info_uint(info, "tracking_total_prefixes", counts->tracking_prefixes);
}

void info_section_stats(struct info *info) {
    const struct host *host = info->source->host;
    const struct net_stats *net = net_stats(host->net);
    const struct sessions_stats *sessions = &host->sessions->stats;
    stats_of_traffic(info);
    stats_of_keyspace(info);
    stats_of_features(info);
    info_text(info, "unexpected_error_replies", "0");
    info_uint(info, "total_error_replies", registry_error_total(host->commands));
    info_text(info, "dump_payload_sanitizations", "0");
    info_uint(info, "total_reads_processed", net->receive_count);
    info_uint(info, "total_writes_processed", net->send_count);
    info_text(info, "io_threaded_reads_processed", "0");
    info_text(info, "io_threaded_writes_processed", "0");
    info_uint(info, "client_query_buffer_limit_disconnections", sessions->query_limit_closed_count);
    info_uint(info, "client_output_buffer_limit_disconnections",
              sessions->output_limit_closed_count);
    info_text(info, "reply_buffer_shrinks", "0");
    info_text(info, "reply_buffer_expands", "0");
    info_uint(info, "eventloop_cycles", net->turn_count);
    info_uint(info, "instantaneous_eventloop_cycles_per_sec",
              metrics_rate(info->source->metrics, METRIC_TURNS));
    const uint64_t *denied = host->acl->denied_count;
    info_uint(info, "acl_access_denied_auth", denied[ACL_DENIED_AUTH]);
    info_uint(info, "acl_access_denied_cmd", denied[ACL_DENIED_COMMAND]);
    info_uint(info, "acl_access_denied_key", denied[ACL_DENIED_KEY]);
    info_uint(info, "acl_access_denied_channel", denied[ACL_DENIED_CHANNEL]);
}

/* -- commands */

static void each_command(struct info *info,
                         void (*write)(struct info *info, const struct command_entry *entry)) {
    const struct command_registry *commands = info->source->host->commands;
    for (uint32_t i = 0; i < registry_count(commands); i++) {
        const struct command_entry *entry = registry_at(commands, i);
        write(info, entry);
        for (uint32_t j = 0; j < entry->subcommand_count; j++) write(info, &entry->subcommands[j]);
    }
}

static void command_line(struct info *info, const struct command_entry *entry) {
    const struct command_stats *stats = &entry->stats;
    double us = (double)clock_ticks_to_ns(stats->ticks) / 1000;
    if (stats->call_count == 0 && stats->rejected_count == 0 && stats->failed_count == 0) return;
    buf_printf(info->out,
               "cmdstat_%s:calls=%" PRIu64 ",usec=%.0f,usec_per_call=%.2f,rejected_calls=%" PRIu64
               ",failed_calls=%" PRIu64 "\r\n",
               entry->full_name, stats->call_count, us,
               stats->call_count ? us / (double)stats->call_count : 0, stats->rejected_count,
               stats->failed_count);
}

void info_section_commandstats(struct info *info) {
    each_command(info, command_line);
}

void info_section_errorstats(struct info *info) {
    uint32_t count;
    const struct error_stat *errors = registry_errors(info->source->host->commands, &count);
    for (uint32_t i = 0; i < count; i++) {
        buf_printf(info->out, "errorstat_%s:count=%" PRIu64 "\r\n", errors[i].code,
                   errors[i].count);
    }
}

static void latency_line(struct info *info, const struct command_entry *entry) {
    const struct settings *settings = info->source->host->settings;
    const struct histogram *histogram = entry->stats.histogram;
    if (!histogram || histogram->count == 0) return;
    buf_printf(info->out, "latency_percentiles_usec_%s:", entry->full_name);
    for (uint32_t i = 0; i < settings->latency_percentile_count; i++) {
        char percent[NUM_DOUBLE_TEXT_MAX];
        size_t len = num_format_double(percent, settings->latency_percentiles[i]);
        buf_printf(info->out, "%sp%.*s=%.3f", i > 0 ? "," : "", (int)len, percent,
                   histogram_percentile_us(histogram, settings->latency_percentiles[i]));
    }
    buf_put_text(info->out, "\r\n");
}

void info_section_latencystats(struct info *info) {
    each_command(info, latency_line);
}

/* -- what is Rondo's own */

void info_section_rondo(struct info *info) {
    const struct host *host = info->source->host;
    const struct net_stats *net = net_stats(host->net);
    const struct sessions_stats *sessions = &host->sessions->stats;
    double requests = (double)host->dispatch.command_count;
    info_text(info, "net_backend", net_backend_name(host->net));
    info_text(info, "net_backend_why", info->source->backend_why);
    info_uint(info, "net_turns", net->turn_count);
    info_uint(info, "net_turns_that_slept", net->wait_count);
    info_uint(info, "net_system_calls", net->syscall_count);
    info_uint(info, "net_submissions", net->submission_count);
    info_uint(info, "net_completions", net->completion_count);
    info_ratio(info, "net_requests_per_turn", requests, (double)net->turn_count);
    info_ratio(info, "net_requests_per_system_call", requests, (double)net->syscall_count);
    info_uint(info, "net_accepts", net->accept_count);
    info_uint(info, "net_accept_errors", net->accept_error_count);
    info_uint(info, "net_receives", net->receive_count);
    info_uint(info, "net_received_bytes", net->receive_bytes);
    info_uint(info, "net_sends", net->send_count);
    info_uint(info, "net_sent_bytes", net->send_bytes);
    info_uint(info, "net_short_sends", net->send_short_count);
    info_uint(info, "net_zero_copy_sends", net->zero_copy_count);
    info_uint(info, "net_zero_copy_sends_copied", net->zero_copy_copied_count);
    info_uint(info, "net_receives_without_buffer", net->no_buffer_count);
    info_uint(info, "net_rearms", net->rearm_count);
    info_uint(info, "net_cancels", net->cancel_count);
    info_uint(info, "net_overflows", net->overflow_count);
    info_uint(info, "reply_bytes_copied", sessions->copied_bytes);
    info_uint(info, "reply_bytes_by_reference", sessions->referenced_bytes);
    info_uint(info, "idle_timeout_disconnections", sessions->idle_closed_count);
}

void info_section_debug(struct info *info) {
    const struct host *host = info->source->host;
    const struct sessions *sessions = host->sessions;
    info_uint(info, "chunk_pool_idle_bytes", chunk_pool_idle_bytes(&sessions->chunks));
    info_uint(info, "chunk_pool_out_bytes", sessions->chunks.out_bytes);
    info_uint(info, "monitor_clients", sessions->monitor_count);
    for (uint32_t i = 0; i < keyspace_db_count(host->keyspace); i++) {
        const struct db *db = keyspace_db(host->keyspace, i);
        if (db_count(db) == 0) continue;
        buf_printf(info->out, "table%u:segments=%u,depth=%u,bytes=%zu\r\n", i,
                   db->table.segment_count, db->table.depth, db->table.memory_bytes);
    }
}
