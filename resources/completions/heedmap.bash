# Made by `heedmap completions`; change the options in app/cli, then make it again.
# SPDX-License-Identifier: GPL-3.0-or-later
_heedmap() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    local command= word
    COMPREPLY=()
    case $previous in
        --language) COMPREPLY=($(compgen -W "en zh_CN" -- "$current")); return ;;
        --theme) COMPREPLY=($(compgen -W "light dark" -- "$current")); return ;;
        --attention) COMPREPLY=($(compgen -W "encoder decoder cross" -- "$current")); return ;;
        --positions) COMPREPLY=($(compgen -W "none sinusoidal rope" -- "$current")); return ;;
        --pad-side) COMPREPLY=($(compgen -W "right left" -- "$current")); return ;;
        --format) COMPREPLY=($(compgen -W "npz safetensors json csv npy" -- "$current")); return ;;
        --view) COMPREPLY=($(compgen -W "heatmap grid" -- "$current")); return ;;
        --pooling) COMPREPLY=($(compgen -W "max absmax mass mean" -- "$current")); return ;;
        --colours) COMPREPLY=($(compgen -W "viridis cividis magma inferno grey diverging" -- "$current")); return ;;
        --compute-dtype) COMPREPLY=($(compgen -W "float16 bfloat16 float32 float64" -- "$current")); return ;;
        --causal-flag) COMPREPLY=($(compgen -W "true false" -- "$current")); return ;;
        --reads) COMPREPLY=($(compgen -W "keep blocked additive" -- "$current")); return ;;
        --text-file|--input|--context|--qkv|--maps|--weights|-o|--output|--scores) COMPREPLY=($(compgen -f -- "$current")); return ;;
        -h|--help|--version|--example|--config-dir|--text|--text-pair|--tokenizer|--context-text|--target|--model|--ids|--target-ids|--no-special|--d-model|--heads|--kv-heads|--seed|--no-scale|--no-bias|--causal|--padding|--pad-to|--mask|--mask-layer|--layer|--head|--item|--backend|--threads|--memory|--what|--range|--width|--font|--dpi|--title|--no-title|--no-labels|--no-bar|--no-hatch|--no-numbers|--links|--metrics|--sort|--json|--csv|--top|--at|--queries|--keys|--lengths|--array|--slot|--intent|--window|--past|--documents|--groups|--position-ids|--batch|--sizes|--head-width) return ;;
    esac
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case "$command $word" in
            " compute") command="compute" ;;
            " render") command="render" ;;
            " stats") command="stats" ;;
            " predict") command="predict" ;;
            " mask") command="mask" ;;
            "mask show") command="mask show" ;;
            "mask lint") command="mask lint" ;;
            "mask recognise") command="mask recognise" ;;
            " info") command="info" ;;
            " models") command="models" ;;
            " backends") command="backends" ;;
            " bench") command="bench" ;;
        esac
    done
    case $command in
        "") COMPREPLY=($(compgen -W "compute render stats predict mask info models backends bench -h --help --version --example --language --theme --config-dir --text --text-file --text-pair --tokenizer --context-text --target --input --context --qkv --maps --model --ids --target-ids --attention --no-special --weights --d-model --heads --kv-heads --seed --positions --no-scale --no-bias --causal --padding --pad-side --pad-to --mask --mask-layer --layer --head --item --backend --threads --memory" -- "$current"))
            [[ $current == -* ]] || COMPREPLY+=($(compgen -f -- "$current")) ;;
        "compute") COMPREPLY=($(compgen -W "--text --text-file --text-pair --tokenizer --context-text --target --input --context --qkv --maps --model --ids --target-ids --attention --no-special --weights --d-model --heads --kv-heads --seed --positions --no-scale --no-bias --causal --padding --pad-side --pad-to --mask --mask-layer --layer --head --item --backend --threads --memory -o --output --format --what -h --help" -- "$current"))
            ;;
        "render") COMPREPLY=($(compgen -W "--text --text-file --text-pair --tokenizer --context-text --target --input --context --qkv --maps --model --ids --target-ids --attention --no-special --weights --d-model --heads --kv-heads --seed --positions --no-scale --no-bias --causal --padding --pad-side --pad-to --mask --mask-layer --layer --head --item --backend --threads --memory -o --output --format --view --what --pooling --colours --range --width --font --dpi --title --no-title --no-labels --no-bar --no-hatch --no-numbers -h --help" -- "$current"))
            ;;
        "stats") COMPREPLY=($(compgen -W "--text --text-file --text-pair --tokenizer --context-text --target --input --context --qkv --maps --model --ids --target-ids --attention --no-special --weights --d-model --heads --kv-heads --seed --positions --no-scale --no-bias --causal --padding --pad-side --pad-to --mask --mask-layer --layer --head --item --backend --threads --memory --links --metrics --sort --json --csv -h --help" -- "$current"))
            ;;
        "predict") COMPREPLY=($(compgen -W "--text --text-file --text-pair --tokenizer --context-text --target --input --context --qkv --maps --model --ids --target-ids --attention --no-special --weights --d-model --heads --kv-heads --seed --positions --no-scale --no-bias --causal --padding --pad-side --pad-to --mask --mask-layer --layer --head --item --backend --threads --memory --top --at --json -h --help" -- "$current"))
            ;;
        "mask") COMPREPLY=($(compgen -W "show lint recognise -h --help" -- "$current"))
            ;;
        "mask show") COMPREPLY=($(compgen -W "--queries --keys --heads --lengths --pad-side --text --tokenizer --pad-to --json --memory -h --help" -- "$current"))
            ;;
        "mask lint") COMPREPLY=($(compgen -W "--array --slot --intent --window --compute-dtype --causal-flag --lengths --pad-side --past --documents --groups --position-ids --scores --weights --batch --heads --queries --keys --json --memory -h --help" -- "$current"))
            ;;
        "mask recognise") COMPREPLY=($(compgen -W "--reads --array --queries --keys --heads --lengths --pad-side --text --tokenizer --pad-to --json --memory -h --help" -- "$current"))
            [[ $current == -* ]] || COMPREPLY+=($(compgen -f -- "$current")) ;;
        "info") COMPREPLY=($(compgen -W "--json --memory -h --help" -- "$current"))
            [[ $current == -* ]] || COMPREPLY+=($(compgen -f -- "$current")) ;;
        "models") COMPREPLY=($(compgen -W "--json -h --help" -- "$current"))
            ;;
        "backends") COMPREPLY=($(compgen -W "--json -h --help" -- "$current"))
            ;;
        "bench") COMPREPLY=($(compgen -W "--sizes --batch --heads --head-width --mask --backend --threads --memory --json -h --help" -- "$current"))
            ;;
    esac
}
complete -o filenames -F _heedmap heedmap
