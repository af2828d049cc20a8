/* mon with greedy in four seats, in plain C: the yardstick of `python -m bench c`.
 *
 * The same rules, the same decisions and the same random numbers as sim/games/mon/rules.py and strategies/mon/greedy.py, so that
 * the wins by seat must agree exactly. Prints the seconds taken and, by seat, the share of the wins in 60ths.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SEATS = 6, COLOURS = 3, VALUES = 18, CARDS = 54, NO_CARD = -1 };
enum { ADVANCE, FALL_BACK, DRAW };
enum { TURN, REPLENISH, OVER };
enum { DECK = 0, CHANCE = 1, POLICY = 2, PURPOSE_SEATS = 16 };
enum { NOBODY = -10000 }; /* fewer points than any score */

typedef struct {
    int64_t players, cards;
    int8_t hand_size, tokens, token_limit, start[COLOURS], points[SEATS][VALUES], may_fall_back[SEATS][COLOURS];
} Rules;

typedef struct {
    int64_t players, phase, seat, turn, rounds, decision;
    int64_t hand[SEATS], stock, discard, missing, reshuffles;
    int8_t order[CARDS], epoch[CARDS];
    int64_t cursor;
    int8_t length[COLOURS], top[COLOURS][VALUES], owner[COLOURS][VALUES], height[COLOURS][VALUES], under[CARDS];
    int8_t tokens[SEATS];
    int16_t points[SEATS];
    int64_t dealt[SEATS], drawn[SEATS], advanced[SEATS], fell_back[SEATS], discarded[SEATS];
    uint64_t chance, policy[SEATS];
} State;

typedef struct {
    int64_t deal, winners, top, rounds, turns, decisions, lead_changes, leaders[3];
    int64_t score[SEATS], share[SEATS];
    int64_t dealt[SEATS], drawn[SEATS], advanced[SEATS], fell_back[SEATS], discarded[SEATS], scoring[SEATS];
} Row;

static uint64_t word(uint64_t key, uint64_t counter) {
    uint64_t z = key + (counter + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static int64_t below(uint64_t key, uint64_t counter, uint64_t n) { return (int64_t)(((word(key, counter) >> 32) * n) >> 32); }

static int lowest_bit(int64_t mask) { return __builtin_ctzll((uint64_t)mask); }

static void arrange(State *s, uint64_t key) {
    int count = 0;
    for (int64_t left = s->stock; left; left &= left - 1) s->order[count++] = (int8_t)lowest_bit(left);
    for (int place = count; place < CARDS; place++) s->order[place] = NO_CARD;
    for (int last = count - 1; last > 0; last--) {
        int other = (int)below(key, (uint64_t)(count - 1 - last), (uint64_t)(last + 1));
        int8_t card = s->order[last];
        s->order[last] = s->order[other];
        s->order[other] = card;
    }
    s->cursor = 0;
}

static void draw_card(State *s, int64_t seat) {
    int64_t bit = (int64_t)1 << s->order[s->cursor++];
    s->stock &= ~bit;
    s->hand[seat] |= bit;
}

static void deal(State *s, const Rules *r, uint64_t key) {
    s->players = r->players;
    s->phase = TURN;
    s->seat = s->turn = s->rounds = s->decision = s->discard = s->missing = s->reshuffles = 0;
    s->chance = word(key, CHANCE * PURPOSE_SEATS);
    memset(s->length, 0, sizeof s->length);
    memset(s->epoch, 0, sizeof s->epoch);
    memset(s->under, NO_CARD, sizeof s->under);
    s->stock = r->cards;
    arrange(s, word(key, DECK * PURPOSE_SEATS));
    for (int64_t seat = 0; seat < r->players; seat++) {
        s->hand[seat] = s->drawn[seat] = s->advanced[seat] = s->fell_back[seat] = s->discarded[seat] = 0;
        s->tokens[seat] = r->tokens;
        s->points[seat] = 0;
        s->policy[seat] = word(key, POLICY * PURPOSE_SEATS + (uint64_t)seat);
        for (int card = 0; card < r->hand_size; card++) draw_card(s, seat);
        s->dealt[seat] = s->hand[seat];
    }
}

static int highest(const State *s, const Rules *r, int colour) {
    return s->length[colour] ? s->top[colour][s->length[colour] - 1] : r->start[colour];
}

static int second_highest(const State *s, const Rules *r, int colour) {
    return s->length[colour] > 1 ? s->top[colour][s->length[colour] - 2] : r->start[colour];
}

static int64_t between(int colour, int low, int high) {
    return high <= low + 1 ? 0 : (((int64_t)1 << (high - 1)) - ((int64_t)1 << low)) << (colour * VALUES);
}

static int has_token(const State *s, const Rules *r, int64_t seat) { return s->tokens[seat] > 0 || !r->token_limit; }

static int may_cover(const State *s, const Rules *r, int64_t seat, int colour) {
    int length = s->length[colour];
    return length > 0 && s->owner[colour][length - 1] != seat && r->may_fall_back[seat][colour];
}

static int64_t advances(const State *s, const Rules *r, int64_t seat) {
    if (!has_token(s, r, seat)) return 0;
    int64_t playable = 0;
    for (int colour = 0; colour < COLOURS; colour++) playable |= between(colour, highest(s, r, colour), VALUES + 1);
    return playable & s->hand[seat];
}

static int64_t fall_backs(const State *s, const Rules *r, int64_t seat) {
    if (!has_token(s, r, seat)) return 0;
    int64_t playable = 0;
    for (int colour = 0; colour < COLOURS; colour++)
        if (may_cover(s, r, seat, colour)) playable |= between(colour, second_highest(s, r, colour), highest(s, r, colour));
    return playable & s->hand[seat];
}

static int is_legal(const State *s, const Rules *r, int64_t action) {
    if (s->phase != TURN || action < 0) return 0;
    int kind = action & 3;
    int64_t payload = action >> 2, hand = s->hand[s->seat];
    if (kind == DRAW) return payload != 0 && (payload & ~hand) == 0;
    if (payload >= CARDS || !(hand >> payload & 1) || !has_token(s, r, s->seat)) return 0;
    int colour = (int)(payload / VALUES), value = (int)(payload % VALUES) + 1;
    if (kind == ADVANCE) return value > highest(s, r, colour);
    return kind == FALL_BACK && may_cover(s, r, s->seat, colour) && second_highest(s, r, colour) < value && value < highest(s, r, colour);
}

static void end_turn(State *s) {
    s->turn++;
    if (++s->seat == s->players) {
        s->seat = 0;
        s->rounds++;
        if (s->hand[0] == 0) s->phase = OVER;
    }
}

static void apply(State *s, const Rules *r, int64_t action) {
    int kind = action & 3;
    int64_t payload = action >> 2, seat = s->seat;
    s->decision++;
    if (kind == DRAW) {
        s->hand[seat] &= ~payload;
        s->discard |= payload;
        s->discarded[seat] |= payload;
        s->missing = __builtin_popcountll((uint64_t)payload) - 1;
        while (s->missing) {
            if (s->stock == 0) {
                s->stock = s->discard;
                s->discard = 0;
                s->reshuffles++;
                arrange(s, word(s->chance, (uint64_t)(s->reshuffles * SEATS)));
                for (int64_t left = s->stock; left; left &= left - 1) s->epoch[lowest_bit(left)] = (int8_t)s->reshuffles;
                continue;
            }
            int64_t held = s->hand[seat];
            while (s->missing && s->stock) {
                draw_card(s, seat);
                s->missing--;
            }
            s->drawn[seat] |= s->hand[seat] & ~held;
        }
        end_turn(s);
        return;
    }
    int card = (int)payload, colour = card / VALUES, value = card % VALUES + 1;
    s->hand[seat] &= ~((int64_t)1 << card);
    if (kind == ADVANCE) {
        int place = s->length[colour]++;
        s->top[colour][place] = (int8_t)value;
        s->owner[colour][place] = (int8_t)seat;
        s->height[colour][place] = 1;
        s->tokens[seat]--;
        s->points[seat] += r->points[seat][value - 1];
        s->advanced[seat] |= (int64_t)1 << card;
    } else {
        int place = s->length[colour] - 1, covered = s->top[colour][place], loser = s->owner[colour][place];
        int under = s->height[colour][place];
        s->tokens[loser]++;
        s->points[loser] -= r->points[loser][covered - 1] + under - 1;
        s->under[card] = (int8_t)(colour * VALUES + covered - 1);
        s->top[colour][place] = (int8_t)value;
        s->owner[colour][place] = (int8_t)seat;
        s->height[colour][place]++;
        s->tokens[seat]--;
        s->points[seat] += r->points[seat][value - 1] + under;
        s->fell_back[seat] |= (int64_t)1 << card;
    }
    end_turn(s);
}

static int64_t best_seats(const int64_t *values, int64_t players) {
    int64_t best = values[0], mask = 1;
    for (int64_t seat = 1; seat < players; seat++) {
        if (values[seat] > best) {
            best = values[seat];
            mask = (int64_t)1 << seat;
        } else if (values[seat] == best) {
            mask |= (int64_t)1 << seat;
        }
    }
    return mask;
}

static int64_t greedy(const State *s, const Rules *r) {
    int64_t seat = s->seat, choice = -1;
    int best_rank = 0;
    for (int64_t left = advances(s, r, seat); left; left &= left - 1) {
        int card = lowest_bit(left), rank = r->points[seat][card % VALUES] * 2 * VALUES - card % VALUES;
        if (rank > best_rank) {
            best_rank = rank;
            choice = card << 2 | ADVANCE;
        }
    }
    int64_t left = fall_backs(s, r, seat);
    if (left) {
        int best = NOBODY, second = NOBODY, leader = -1;
        for (int other = 0; other < s->players; other++) {
            if (other == seat) continue;
            int points = s->points[other];
            if (points > best) {
                second = best;
                best = points;
                leader = other;
            } else if (points > second) {
                second = points;
            }
        }
        for (; left; left &= left - 1) {
            int card = lowest_bit(left), colour = card / VALUES, place = s->length[colour] - 1;
            int loser = s->owner[colour][place], under = s->height[colour][place];
            int change = r->points[seat][card % VALUES] + under;
            if (loser == leader) {
                int loss = r->points[loser][s->top[colour][place] - 1] + under - 1;
                change += loss < best - second ? loss : best - second;
            }
            int rank = change * 2 * VALUES - card % VALUES;
            if (rank > best_rank) {
                best_rank = rank;
                choice = card << 2 | FALL_BACK;
            }
        }
    }
    return choice >= 0 ? choice : s->hand[seat] << 2 | DRAW;
}

int main(int argc, char **argv) {
    int64_t games = argc > 1 ? atoll(argv[1]) : 200000, shares[SEATS] = {0};
    Rules rules = {.players = 4, .cards = ((int64_t)1 << CARDS) - 1, .hand_size = 9, .tokens = 10, .token_limit = 1};
    for (int seat = 0; seat < SEATS; seat++) {
        for (int value = 0; value < VALUES; value++) rules.points[seat][value] = (int8_t)(1 + value / 6);
        for (int colour = 0; colour < COLOURS; colour++) rules.may_fall_back[seat][colour] = 1;
    }
    State state;
    memset(&state, 0, sizeof state);
    Row *rows = calloc((size_t)games, sizeof *rows);
    struct timespec start, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    uint64_t seed_key = word(1, 0);
    for (int64_t game = 0; game < games; game++) {
        State *s = &state;
        int64_t values[SEATS], leaders[129], rounds = 0, lead_changes = 0;
        deal(s, &rules, word(seed_key, (uint64_t)game));
        leaders[0] = 15;
        while (s->phase != OVER) {
            int64_t action = greedy(s, &rules);
            if (!is_legal(s, &rules, action)) return 1;
            apply(s, &rules, action);
            if (s->rounds != rounds) {
                rounds = s->rounds;
                for (int seat = 0; seat < 4; seat++) values[seat] = s->points[seat];
                leaders[rounds] = best_seats(values, 4);
                lead_changes += (leaders[rounds] & leaders[rounds - 1]) == 0;
            }
        }
        Row *row = &rows[game];
        for (int seat = 0; seat < 4; seat++) values[seat] = s->points[seat];
        row->deal = game;
        row->top = best_seats(values, 4);
        row->winners = row->top & -row->top;
        row->lead_changes = lead_changes;
        row->rounds = s->rounds;
        row->turns = s->turn;
        row->decisions = s->decision;
        for (int point = 0; point < 3; point++) row->leaders[point] = leaders[(rounds * (point + 1) * 2 + 4) / 8];
        for (int seat = 0; seat < 4; seat++) {
            row->score[seat] = values[seat];
            row->share[seat] = row->winners >> seat & 1 ? 60 : 0;
            row->dealt[seat] = s->dealt[seat];
            row->drawn[seat] = s->drawn[seat];
            row->advanced[seat] = s->advanced[seat];
            row->fell_back[seat] = s->fell_back[seat];
            row->discarded[seat] = s->discarded[seat];
        }
        for (int colour = 0; colour < COLOURS; colour++)
            for (int place = 0; place < s->length[colour]; place++)
                row->scoring[s->owner[colour][place]] |= (int64_t)1 << (colour * VALUES + s->top[colour][place] - 1);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    for (int64_t game = 0; game < games; game++)
        for (int seat = 0; seat < 4; seat++) shares[seat] += rows[game].share[seat];
    printf("%.6f", (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9);
    for (int seat = 0; seat < 4; seat++) printf(" %lld", (long long)shares[seat]);
    printf("\n");
    free(rows);
    return 0;
}
